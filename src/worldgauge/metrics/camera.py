"""Whether the camera went where it was asked to go."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case
from worldgauge.core.errors import NotApplicable
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.pose import geodesic_deg, root_mean_square
from worldgauge.functional.rotation_agreement import compare_rotations
from worldgauge.functional.usable import check_enough, filled_in, over_time, told_left_out
from worldgauge.signals.poses import poses_given_lens

LEAST_TURN_DEG = 5.0
"""A requested path that turns less than this from its first view (root mean square) says nothing about turning."""


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

    Frames that could not be placed count as those around them.
    """
    requested = _requested(case, path)
    errors, placed = _errors(path, requested)
    return Measurement.from_curve(
        errors,
        lambda _: over_time(errors, placed),
        _compared(path, requested),
        range(len(errors)),
        left_out=1 - float(placed.mean()),
    )


@metric(version=3, unit="share", higher_is_better=True, bounds=(0, 1), needs=[poses_given_lens()], requires=("camera",))
def camera_control(case: Case, path: Arrays) -> Measurement:
    """How much of the requested turning was done: 1 for the path as asked, 0 for a camera that stands still or worse.

    One minus the root mean square of the angular errors over that of the requested angles from the first view. Frames
    that could not be placed count as those around them.
    """
    requested = _requested(case, path)
    errors, placed = _errors(path, requested)
    turned = geodesic_deg(requested.rotation[int(placed.argmax())], requested.rotation[: len(placed)])
    asked = root_mean_square(turned)
    if asked < LEAST_TURN_DEG:
        raise NotApplicable(f"the requested path hardly turns ({asked:.1f} deg)")
    share = max(0.0, 1.0 - root_mean_square(filled_in(errors, placed)) / asked)
    return Measurement.from_curve(
        np.maximum(0.0, 1.0 - errors / asked),
        lambda _: share,
        _compared(path, requested),
        range(len(errors)),
        left_out=1 - float(placed.mean()),
    )


def _errors(path: Arrays, requested: CameraPath) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Degrees between the two paths in the compared frames, NaN in those that could not be placed, and which could."""
    placed = path["placed"][: min(len(path["poses"]), len(requested))]
    check_enough(placed, "frames of the requested path can be placed")
    errors = np.full(len(placed), np.nan)
    ours, theirs = path["poses"][: len(placed)], requested.poses[: len(placed)]
    errors[placed] = compare_rotations(ours[placed], theirs[placed]).errors
    return errors, placed


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
