"""What the generic metrics are about. A new metric gets one line here."""

from worldgauge.core.gauge import CalibrationGauge, Quality

_CAMERA_DROWNS = "the camera's own motion drowns the target's"
_COLOUR = "the pocket tracker knows the target by its colour, which moves with the light"
_SAME_STUFF = "props drawn anew in one another's textures leave the picture's statistics as they are"
_FROZEN = ("frozen_camera",)

GAUGES = (
    CalibrationGauge("camera_control", Quality.CAMERA),
    CalibrationGauge("rotation_error", Quality.CAMERA),
    CalibrationGauge("psnr", Quality.FIDELITY),
    CalibrationGauge("ssim", Quality.FIDELITY),
    CalibrationGauge("return_psnr", Quality.FIDELITY, "phase_psnr", {"phase": "back"}),
    CalibrationGauge("return_ssim", Quality.FIDELITY, "phase_ssim", {"phase": "back"}),
    CalibrationGauge("visible_ssim", Quality.EARLY, "phase_ssim", {"phase": "visible"}),
    CalibrationGauge("warp_error", Quality.PHOTOMETRY),
    CalibrationGauge("flow_consistency", Quality.PHOTOMETRY),
    CalibrationGauge("flow_magnitude", Quality.MOTION, blind={"still_life": _CAMERA_DROWNS}),
    CalibrationGauge("object_identity", Quality.IDENTITY, no_better=_FROZEN),
    CalibrationGauge("return_identity", Quality.IDENTITY, no_better=_FROZEN),
    CalibrationGauge("object_presence", Quality.PRESENCE, blind={"lighting_drift": _COLOUR}),
    CalibrationGauge("style_consistency", Quality.STYLE, blind={"background_swap": _SAME_STUFF}),
    CalibrationGauge("picture_quality", Quality.PICTURE),
    CalibrationGauge("frame_similarity", Quality.SMOOTHNESS),
)
