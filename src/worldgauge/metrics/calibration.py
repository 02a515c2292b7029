"""What the generic metrics are about. A new metric gets one line here."""

from worldgauge.core.gauge import Gauge, Quality

_CAMERA_DROWNS = "the camera's own motion drowns the target's"
_COLOUR = "the pocket tracker knows the target by its colour, which moves with the light"
_SAME_STUFF = "props drawn anew in one another's textures leave the picture's statistics as they are"
_FROZEN = ("frozen_camera",)

GAUGES = (
    Gauge("camera_control", Quality.CAMERA),
    Gauge("rotation_error", Quality.CAMERA),
    Gauge("psnr", Quality.FIDELITY),
    Gauge("ssim", Quality.FIDELITY),
    Gauge("return_psnr", Quality.FIDELITY, "phase_psnr", {"phase": "back"}),
    Gauge("return_ssim", Quality.FIDELITY, "phase_ssim", {"phase": "back"}),
    Gauge("visible_ssim", Quality.EARLY, "phase_ssim", {"phase": "visible"}),
    Gauge("warp_error", Quality.PHOTOMETRY),
    Gauge("flow_consistency", Quality.PHOTOMETRY),
    Gauge("flow_magnitude", Quality.MOTION, blind={"still_life": _CAMERA_DROWNS}),
    Gauge("object_identity", Quality.IDENTITY, no_better=_FROZEN),
    Gauge("return_identity", Quality.IDENTITY, no_better=_FROZEN),
    Gauge("object_presence", Quality.PRESENCE, blind={"lighting_drift": _COLOUR}),
    Gauge("style_consistency", Quality.STYLE, blind={"background_swap": _SAME_STUFF}),
    Gauge("picture_quality", Quality.PICTURE),
    Gauge("frame_similarity", Quality.SMOOTHNESS),
)
