"""Whether the camera went where it was asked to go."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case
from worldgauge.core.errors import NotApplicable, Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.reasons import TOO_FEW_FRAMES
from worldgauge.core.signal import Arrays
from worldgauge.functional.pose import geodesic_deg, root_mean_square
from worldgauge.functional.rotation_agreement import RotationAgreement, compare_rotations
from worldgauge.functional.usable import LEAST_FOUND, check_enough, told_left_out
from worldgauge.signals.poses import poses_given_lens

LEAST_TURN_DEG = 5.0
"""A requested path that turns less than this from its first view (root mean square) says nothing about turning."""
LEAST_ASKED = 0.5
"""Share of that turning which must be asked for in the frames that could be placed: a clip that can be followed only
where the camera should stand still has not shown that it turns."""


@metric(
    version=3,
    unit="deg",
    higher_is_better=False,
    bounds=(0, 180),
    needs=[poses_given_lens()],
    requires=("camera",),
    formula=compare_rotations,
)
def rotation_error(case: Case, path: Arrays) -> Measurement:
    """Mean angle between the requested and the recovered camera orientations, the first ones made equal.

    Over the frames that could be placed.
    """
    requested = _requested(case, path)
    made, placed, _ = _compare(path, requested)
    errors = np.full(len(placed), np.nan)
    errors[placed] = made.errors
    return Measurement.from_curve(
        errors, reason=_compared(path, requested), frames=range(len(errors)), left_out=1 - float(placed.mean())
    )


@metric(version=3, unit="share", higher_is_better=True, bounds=(0, 1), needs=[poses_given_lens()], requires=("camera",))
def camera_control(case: Case, path: Arrays) -> Measurement:
    """How much of the requested turning was done: 1 for the path as asked, 0 for a camera that stands still or worse.

    One minus the root mean square of the angular errors over that of the requested angles from the first view, over the
    frames that could be placed.
    """
    requested = _requested(case, path)
    made, placed, turned = _compare(path, requested)
    asked = root_mean_square(turned)
    if asked < LEAST_TURN_DEG:
        raise NotApplicable(f"the requested path hardly turns ({asked:.1f} deg)")
    curve: list[float | None] = [None] * len(placed)
    for k, error in zip(np.flatnonzero(placed).tolist(), made.errors.tolist(), strict=True):
        curve[k] = max(0.0, 1.0 - error / asked)
    return Measurement(
        max(0.0, 1.0 - made.rms / root_mean_square(turned[placed])),
        tuple(curve),
        _compared(path, requested),
        frames=range(len(curve)),
        left_out=1 - float(placed.mean()),
    )


def _compare(path: Arrays, requested: CameraPath) -> tuple[RotationAgreement, NDArray[np.bool_], NDArray[np.float64]]:
    """The two paths in the frames that could be placed, which of the compared frames those are, and the degrees that
    each of the compared frames should be turned by, from the first of them."""
    placed = path["placed"][: min(len(path["poses"]), len(requested))]
    check_enough(placed, "frames of the requested path can be placed", LEAST_FOUND)
    turned = geodesic_deg(requested.rotation[int(placed.argmax())], requested.rotation[: len(placed)])
    asked, there = root_mean_square(turned), root_mean_square(turned[placed])
    if asked >= LEAST_TURN_DEG and there < LEAST_ASKED * asked:
        raise Unscored(
            f"the path should turn by {asked:.1f} deg, but by {there:.1f} in the frames that can be placed",
            code=TOO_FEW_FRAMES,
        )
    made = compare_rotations(path["poses"][: len(placed)][placed], requested.poses[: len(placed)][placed])
    return made, placed, turned


def _requested(case: Case, path: Arrays) -> CameraPath:
    """The requested path, with a pose for every frame of the video that the case asks for."""
    frames = len(path["poses"])
    return case.camera().checked(frames=max(2, min(frames, case.condition.frames or frames)))


def _compared(path: Arrays, requested: CameraPath) -> str:
    frames, poses = len(path["poses"]), len(requested)
    lost = told_left_out(path["placed"])
    if frames == poses:
        return lost
    unlike = f"{min(frames, poses)} frames compared: the video has {frames}, the camera path {poses} poses"
    return f"{unlike}; {lost}" if lost else unlike
