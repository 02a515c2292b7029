"""What WorldScore's metrics are about. A new metric gets one line here.

Motion is scored in the dynamic half only, whose camera is fixed; worlds with a return are ours, beside it.
"""

from worldgauge.core.gauge import CalibrationGauge, Kind, Quality

_HELD = "a held frame is predicted perfectly, so holding frames scores as smooth"
_FASTER = "its error grows with the amount of motion, so a faster camera scores as less smooth"
_TOO_FAST = (
    "in a turn too fast for the flow its error is as large as flicker makes it; one such world among six hides it"
)
_UNSEEN = "it compares frames close in time, and this change happens while nobody looks"
_PAPER = {"protocol": "paper"}
_LAYOUTS: tuple[Kind, ...] = ("layouts",)
_FIXED: tuple[Kind, ...] = ("fixed",)
_STATIC: tuple[Kind, ...] = ("returns", "layouts")
_DYNAMIC: tuple[Kind, ...] = ("returns", "fixed")

GAUGES = (
    CalibrationGauge("worldscore/camera_control", Quality.CAMERA, worlds=_LAYOUTS),
    CalibrationGauge("worldscore/camera_error", Quality.CAMERA, worlds=_LAYOUTS),
    CalibrationGauge("worldscore/flow_cycle_error", Quality.PHOTOMETRY, worlds=_STATIC, blind={"flicker": _TOO_FAST}),
    CalibrationGauge("worldscore/motion_magnitude", Quality.MOTION, worlds=_DYNAMIC),
    CalibrationGauge("worldscore/motion_accuracy", Quality.MOTION, worlds=_FIXED, parameters=_PAPER),
    CalibrationGauge("worldscore/smoothness_mse", Quality.SMOOTHNESS, worlds=_DYNAMIC, blind={"stutter": _HELD}),
    CalibrationGauge(
        "worldscore/smoothness_ssim",
        Quality.SMOOTHNESS,
        worlds=_DYNAMIC,
        blind={"stutter": _HELD, "camera_drift": _FASTER},
    ),
    CalibrationGauge(
        "worldscore/reprojection_error",
        Quality.GEOMETRY,
        worlds=_STATIC,
        blind=dict.fromkeys(("teleport", "background_swap"), _UNSEEN),
    ),
    CalibrationGauge("worldscore/style_difference", Quality.STYLE, worlds=_LAYOUTS),
)
