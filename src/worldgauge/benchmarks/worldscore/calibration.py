"""What WorldScore's metrics are about. A new metric gets one line here.

Motion is scored in the dynamic half only, whose camera is fixed; worlds with a return are ours, beside it.
"""

from worldgauge.core.gauge import CalibrationGauge, Kind, Quality

_HELD = "a held frame is predicted perfectly, so holding frames scores as smooth"
_FASTER = "its error grows with the amount of motion, so a faster camera scores as less smooth"
_TOO_FAST = "in a turn too fast for the flow its error is as large as this fault makes it; one such world hides it"
_NO_TEXTURE = "the flow into a black or white frame is zero both ways, which counts as consistent"
_LEAKS = "flow leaks past an outline that is not grown: the longest vector outside is as long as the longest inside"
_CAMERA_DROWNS = "the camera's own motion drowns the target's"
_OPPOSITE = "of the opposite of a push, a pull or a move the official error is zero: its scale turns negative"
_PAPER = {"protocol": "paper"}
_LAYOUTS: tuple[Kind, ...] = ("layouts",)
_FIXED: tuple[Kind, ...] = ("fixed",)
_STATIC: tuple[Kind, ...] = ("returns", "layouts")
_DYNAMIC: tuple[Kind, ...] = ("returns", "fixed")

GAUGES = (
    CalibrationGauge("worldscore/camera_control", Quality.CAMERA, worlds=_LAYOUTS),
    CalibrationGauge("worldscore/camera_error", Quality.CAMERA, worlds=_LAYOUTS, blind={"wrong_action": _OPPOSITE}),
    CalibrationGauge(
        "worldscore/flow_cycle_error",
        Quality.PHOTOMETRY,
        worlds=_STATIC,
        blind={"flicker": _TOO_FAST, "geometry_wobble": _TOO_FAST, "flash": _NO_TEXTURE},
    ),
    CalibrationGauge(
        "worldscore/motion_magnitude", Quality.MOTION, worlds=_DYNAMIC, blind={"still_life": _CAMERA_DROWNS}
    ),
    CalibrationGauge(
        "worldscore/motion_accuracy", Quality.MOTION, worlds=_FIXED, parameters=_PAPER, blind={"still_life": _LEAKS}
    ),
    CalibrationGauge(
        "worldscore/released_motion_accuracy", Quality.MOTION, "worldscore/motion_accuracy", worlds=_FIXED
    ),
    CalibrationGauge("worldscore/smoothness_mse", Quality.SMOOTHNESS, worlds=_DYNAMIC, blind={"stutter": _HELD}),
    CalibrationGauge(
        "worldscore/smoothness_ssim",
        Quality.SMOOTHNESS,
        worlds=_DYNAMIC,
        blind={"stutter": _HELD, "camera_drift": _FASTER},
    ),
    CalibrationGauge("worldscore/reprojection_error", Quality.GEOMETRY, worlds=_STATIC),
    CalibrationGauge("worldscore/style_difference", Quality.STYLE, worlds=_LAYOUTS),
)
