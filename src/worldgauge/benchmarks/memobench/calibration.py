"""What MemoBench's metrics are about, under the printed formulas. A new metric gets one line here."""

from worldgauge.core.gauge import CalibrationGauge, Quality

_HELD = "a held frame is predicted perfectly, so holding frames scores as smooth"
_COLOUR = "the pocket tracker knows the target by its colour, which moves with the light"
_BACKGROUND = "the patches most like the first frame's, which it keeps, are background"
_AGAINST_REFERENCE = (
    "measured against the reference at the same moments, of which another camera path sees other things"
)
_NET = "a path that comes back has no net rotation, so a degree of the instrument's own noise costs a tenth"
_PAPER = {"protocol": "paper"}
_MISSED = {"flash": "its few frames need not fall into the phase"}
_FROZEN = ("frozen_camera",)

GAUGES = (
    CalibrationGauge("memobench/house_camera_control", Quality.CAMERA),
    CalibrationGauge("memobench/camera_control", Quality.CAMERA, parameters=_PAPER, blind={"noise": _NET}),
    CalibrationGauge("memobench/smoothness", Quality.SMOOTHNESS, parameters=_PAPER, blind={"stutter": _HELD}),
    CalibrationGauge(
        "memobench/house_smoothness",
        Quality.SMOOTHNESS,
        unasked={"camera_drift": _AGAINST_REFERENCE},
        no_better=_FROZEN,
    ),
    CalibrationGauge("memobench/return_psnr", Quality.FIDELITY, "memobench/psnr", {"phase": "back", **_PAPER}, _MISSED),
    CalibrationGauge("memobench/return_ssim", Quality.FIDELITY, "memobench/ssim", {"phase": "back", **_PAPER}, _MISSED),
    CalibrationGauge("memobench/visible_ssim", Quality.EARLY, "memobench/ssim", {"phase": "visible", **_PAPER}),
    CalibrationGauge("memobench/geometry", Quality.DEPTH, parameters=_PAPER),
    CalibrationGauge(
        "memobench/identity",
        Quality.IDENTITY,
        parameters=_PAPER,
        blind={"identity_drift": _BACKGROUND},
        unasked={"geometry_wobble": _BACKGROUND},
    ),
    CalibrationGauge("memobench/pocket_reappearance", Quality.PRESENCE, blind={"lighting_drift": _COLOUR}),
    CalibrationGauge(
        "memobench/house_reappearance", Quality.PRESENCE, no_better=_FROZEN, blind={"lighting_drift": _COLOUR}
    ),
)
