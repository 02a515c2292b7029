"""The camera's way against that of the reference: as released, and the house variant."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldolympiad.formulas.alignment import SEED, aligned_scale
from worldgauge.benchmarks.worldolympiad.formulas.fixed_trajectory import fixed_score
from worldgauge.benchmarks.worldolympiad.formulas.frame_rules import RECONSTRUCTION_FRAMES, resampled, spread
from worldgauge.benchmarks.worldolympiad.formulas.trajectory import compare_profiles
from worldgauge.core.case import Case
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.signals.poses import rigid_cameras

SHARE: dict[str, Any] = {"unit": "", "higher_is_better": True, "bounds": (0, 1)}


@metric(**SHARE, version=2, needs=[rigid_cameras(), rigid_cameras(of="reference")], formula=compare_profiles)
def camera_motion(case: Case, ours: Arrays, wanted: Arrays, *, seed: int = SEED) -> Measurement:
    """Trajectory score of the released code: how the recovered camera path follows that recovered from the reference.

    32 poses of each. `seed` draws the subsets of the alignment, which the original draws without one.
    """
    predicted, target = _paths(ours, wanted)
    score = compare_profiles(predicted, target, aligned_scale(predicted, target, seed))
    remark = "the reference camera hardly moves: any motion counts as jitter" if score.near_static else ""
    return Measurement(score.score, reason=remark)


@metric(**SHARE, needs=[rigid_cameras(), rigid_cameras(of="reference")], formula=fixed_score)
def camera_motion_fixed(case: Case, ours: Arrays, wanted: Arrays) -> Measurement:
    """The camera path against that of the reference, frame by frame; the measure is a camera that stands still.

    A slow pan is followed or not followed; nothing is stretched to fit a reference that stands still.
    """
    predicted, target = _paths(ours, wanted)
    score = fixed_score(predicted, target)
    return Measurement(score.score, reason=f"{score.degrees:.2f} degrees and {score.metres:.3f} units off")


def _paths(ours: Arrays, wanted: Arrays) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    predicted = ours["poses"][spread(len(ours["poses"]), RECONSTRUCTION_FRAMES)]
    target = wanted["poses"][spread(len(wanted["poses"]), RECONSTRUCTION_FRAMES)]
    if len(predicted) < 2:
        raise InvalidVideo("a camera path needs two frames")
    return predicted, target[resampled(len(target), len(predicted))]
