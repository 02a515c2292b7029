"""Whether the camera went where it was asked to go."""

from __future__ import annotations

import numpy as np

from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case
from worldgauge.core.errors import NotApplicable
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.pose import geodesic_deg, root_mean_square
from worldgauge.functional.rotation_agreement import compare_rotations
from worldgauge.signals.poses import poses_given_lens

LEAST_TURN_DEG = 5.0
"""A requested path that turns less than this from its first view (root mean square) says nothing about turning."""


@metric(
    version=1,
    unit="deg",
    higher_is_better=False,
    bounds=(0, 180),
    needs=[poses_given_lens()],
    requires=("camera",),
    formula=compare_rotations,
)
def rotation_error(case: Case, path: Arrays) -> Measurement:
    """Mean angle between the requested and the recovered camera orientations, the first ones made equal."""
    requested = _requested(case, path)
    errors = compare_rotations(path["poses"], requested.poses).errors
    return Measurement.from_curve(errors, reason=_compared(path, requested), frames=range(len(errors)))


@metric(version=1, unit="share", higher_is_better=True, bounds=(0, 1), needs=[poses_given_lens()], requires=("camera",))
def camera_control(case: Case, path: Arrays) -> Measurement:
    """How much of the requested turning was done: 1 for the path as asked, 0 for a camera that stands still or worse.

    One minus the root mean square of the angular errors over that of the requested angles from the first view.
    """
    requested = _requested(case, path)
    made = compare_rotations(path["poses"], requested.poses)
    asked = root_mean_square(geodesic_deg(requested.rotation[0], requested.rotation[: len(made.errors)]))
    if asked < LEAST_TURN_DEG:
        raise NotApplicable(f"the requested path hardly turns ({asked:.1f} deg)")
    curve = np.maximum(0.0, 1.0 - made.errors / asked)
    share = max(0.0, 1.0 - made.rms / asked)
    return Measurement(share, tuple(curve.tolist()), _compared(path, requested), frames=range(len(curve)))


def _requested(case: Case, path: Arrays) -> CameraPath:
    """The requested path, with a pose for every frame of the video that the case asks for."""
    frames = len(path["poses"])
    return case.camera().checked(frames=max(2, min(frames, case.condition.frames or frames)))


def _compared(path: Arrays, requested: CameraPath) -> str:
    frames, poses = len(path["poses"]), len(requested)
    if frames == poses:
        return ""
    return f"{min(frames, poses)} frames compared: the video has {frames}, the camera path {poses} poses"
