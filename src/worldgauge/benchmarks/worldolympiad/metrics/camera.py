"""The camera's way against that of the reference: as released, and the house variant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldolympiad.formulas.alignment import SEED, aligned_scale
from worldgauge.benchmarks.worldolympiad.formulas.fixed_trajectory import fixed_score
from worldgauge.benchmarks.worldolympiad.formulas.frame_rules import RECONSTRUCTION_FRAMES, resampled, spread
from worldgauge.benchmarks.worldolympiad.formulas.trajectory import compare_profiles
from worldgauge.benchmarks.worldolympiad.signals.scene_inputs import compared_cameras
from worldgauge.core.case import Case
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.metric import Measurement, Metric, metric
from worldgauge.core.signal import Arrays, SignalUse
from worldgauge.signals.poses import metric_scale_of

SHARE: dict[str, Any] = {"unit": "", "higher_is_better": True, "bounds": (0, 1)}
NO_METRES = "lengths are in units of the scene: not comparable with scores of paths in metres"
"""Remark of a score whose camera paths come from an instrument that estimates no metres."""
REFERENCE = compared_cameras(of="reference")
FILLED, PLAIN, HOUSE = ([compared_cameras(material=material), REFERENCE] for material in ("filled", "plain", "house"))
"""The two paths that are compared, by what an instrument that sees views is shown of the clip."""


def path_followed(case: Case, ours: Arrays, wanted: Arrays, *, seed: int = SEED) -> Measurement:
    """Trajectory score of the released code: how the recovered camera path follows that recovered from the reference.

    32 poses of each, in metres where the instrument estimates metres: the constants of the score are metres. `seed`
    draws the subsets of the alignment, which the original draws without one.
    """
    paths = paths_of(ours, wanted)
    score = compare_profiles(paths.predicted, paths.target, aligned_scale(paths.predicted, paths.target, seed))
    remark = "the reference camera hardly moves: any motion counts as jitter" if score.near_static else ""
    return Measurement(score.score, reason=paths.with_unit(remark))


def _followed(name: str, version: int, needs: list[SignalUse]) -> Metric:
    return metric(**SHARE, version=version, needs=needs, formula=compare_profiles, name=name)(path_followed)


camera_motion = _followed("camera_motion", 3, FILLED)
camera_motion_plain = _followed("camera_motion_plain", 1, PLAIN)


@metric(**SHARE, version=2, needs=HOUSE, formula=fixed_score)
def camera_motion_fixed(case: Case, ours: Arrays, wanted: Arrays) -> Measurement:
    """The camera path against that of the reference, frame by frame; the measure is a camera that stands still.

    A slow pan is followed or not followed; nothing is stretched to fit a reference that stands still. Lengths are
    metres where the instrument estimates metres.
    """
    paths = paths_of(ours, wanted)
    score = fixed_score(paths.predicted, paths.target)
    remark = f"{score.degrees:.2f} degrees and {score.metres:.3f} {'m' if paths.in_metres else 'units'} off"
    return Measurement(score.score, reason=paths.with_unit(remark))


@dataclass(frozen=True, eq=False)
class ComparedPaths:
    """The poses that are compared, equally many of each."""

    predicted: NDArray[np.float64]
    target: NDArray[np.float64]
    in_metres: bool

    def with_unit(self, remark: str) -> str:
        """A remark, with one that the lengths are no metres where that is so."""
        return "; ".join(filter(None, (remark, "" if self.in_metres else NO_METRES)))


def paths_of(ours: Arrays, wanted: Arrays) -> ComparedPaths:
    """The paths of a clip and of its reference as they are compared: in metres where both are known in metres."""
    if len(ours["poses"]) < 2:
        raise InvalidVideo("a camera path needs two frames")
    scales = metric_scale_of(ours), metric_scale_of(wanted)
    # One path in metres and one in units of its scene would share no unit at all.
    in_metres = None not in scales
    predicted, target = (
        _sampled(path["poses"], (scale or 1.0) if in_metres else 1.0)
        for path, scale in zip((ours, wanted), scales, strict=True)
    )
    return ComparedPaths(predicted, target[resampled(len(target), len(predicted))], in_metres)


def _sampled(poses: NDArray[np.float64], unit: float) -> NDArray[np.float64]:
    """32 poses of a path, their centres multiplied by its unit."""
    chosen = np.array(poses[spread(len(poses), RECONSTRUCTION_FRAMES)])
    chosen[:, :3, 3] *= unit
    return chosen
