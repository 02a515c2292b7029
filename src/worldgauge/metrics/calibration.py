"""What the generic metrics are about. A new metric gets one line here."""

from worldgauge.core.gauge import CalibrationGauge, Kind, Quality

_CAMERA_DROWNS = "the camera's own motion drowns the target's"
_ONLY_MOVES = "half of the camera layouts only move, and whoever does not turn there makes no error of rotation"
_COLOUR = "the pocket tracker knows the target by its colour, which moves with the light"
_SAME_STUFF = "props drawn anew in one another's textures leave the picture's statistics as they are"
_ELSEWHERE = {"flash": "its few frames need not fall into the phase"}
_FROZEN = ("frozen_camera",)
_ALL: tuple[Kind, ...] = ("returns", "layouts", "fixed")

GAUGES = (
    CalibrationGauge("camera_control", Quality.CAMERA),
    CalibrationGauge(
        "rotation_error",
        Quality.CAMERA,
        worlds=_ALL,
        blind=dict.fromkeys(("frozen_camera", "wrong_action"), _ONLY_MOVES),
    ),
    CalibrationGauge("psnr", Quality.FIDELITY, worlds=_ALL),
    CalibrationGauge("ssim", Quality.FIDELITY, worlds=_ALL),
    CalibrationGauge("return_psnr", Quality.FIDELITY, "phase_psnr", {"phase": "back"}, _ELSEWHERE),
    CalibrationGauge("return_ssim", Quality.FIDELITY, "phase_ssim", {"phase": "back"}, _ELSEWHERE),
    CalibrationGauge("visible_ssim", Quality.EARLY, "phase_ssim", {"phase": "visible"}),
    CalibrationGauge("warp_error", Quality.PHOTOMETRY, worlds=_ALL),
    # Flashed frames are not usable, and it is told by usable ones.
    CalibrationGauge("flow_consistency", Quality.PHOTOMETRY, worlds=_ALL, ignores=("flash",)),
    CalibrationGauge("flow_magnitude", Quality.MOTION, worlds=_ALL, blind={"still_life": _CAMERA_DROWNS}),
    CalibrationGauge("motion_agreement", Quality.COURSE, worlds=_ALL),
    CalibrationGauge("camera_shake", Quality.STEADINESS, worlds=_ALL),
    CalibrationGauge("temporal_direction", Quality.DIRECTION, worlds=_ALL),
    CalibrationGauge("out_of_step", Quality.TIMING, worlds=_ALL),
    CalibrationGauge("double_images", Quality.SINGLENESS, worlds=_ALL),
    CalibrationGauge("lighting_drift", Quality.LIGHTING, worlds=_ALL),
    CalibrationGauge("exposure_jumps", Quality.EXPOSURE, worlds=_ALL),
    CalibrationGauge("tonal_smoothness", Quality.TONES, worlds=_ALL),
    CalibrationGauge("state_evolution", Quality.STATE, worlds=_ALL),
    CalibrationGauge("target_colour_error", Quality.IDENTITY, worlds=_ALL, no_better=_FROZEN),
    CalibrationGauge("object_identity", Quality.IDENTITY, no_better=_FROZEN),
    CalibrationGauge("return_identity", Quality.IDENTITY, no_better=_FROZEN),
    CalibrationGauge("object_presence", Quality.PRESENCE, blind={"lighting_drift": _COLOUR}),
    CalibrationGauge("scenery_kept", Quality.SCENERY),
    CalibrationGauge("style_consistency", Quality.STYLE, worlds=_ALL, blind={"background_swap": _SAME_STUFF}),
    CalibrationGauge("picture_quality", Quality.PICTURE, worlds=_ALL),
    CalibrationGauge("frame_similarity", Quality.SMOOTHNESS),
)
