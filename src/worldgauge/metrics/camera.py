"""Whether the camera went where it was asked to go."""

from __future__ import annotations

import numpy as np

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
    errors = compare_rotations(path["poses"], case.camera().poses).errors
    return Measurement.from_curve(errors, frames=range(len(errors)))


@metric(version=1, unit="share", higher_is_better=True, bounds=(0, 1), needs=[poses_given_lens()], requires=("camera",))
def camera_control(case: Case, path: Arrays) -> Measurement:
    """How much of the requested turning was done: 1 for the path as asked, 0 for a camera that stands still or worse.

    One minus the root mean square of the angular errors over that of the requested angles from the first view.
    """
    requested = case.camera().rotation
    made = compare_rotations(path["poses"], case.camera().poses)
    asked = root_mean_square(geodesic_deg(requested[0], requested[: len(made.errors)]))
    if asked < LEAST_TURN_DEG:
        raise NotApplicable(f"the requested path hardly turns ({asked:.1f} deg)")
    curve = np.maximum(0.0, 1.0 - made.errors / asked)
    return Measurement(max(0.0, 1.0 - made.rms / asked), tuple(curve.tolist()), frames=range(len(curve)))
