"""MemoBench's metrics that rest on networks without a weight-free counterpart."""

from __future__ import annotations

import numpy as np

from worldgauge.core.case import Case
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.phases import Rule
from worldgauge.metrics.memobench import PhaseChoice, phase_mean
from worldgauge.signals.memobench_networks import (
    frame_aesthetics,
    frame_qualities,
    phase_perceptual_distances,
    prompt_rewards,
    revisit_similarities,
)


@metric(version=1, unit="", higher_is_better=True, bounds=(-5, 15), needs=[frame_aesthetics()])
def memobench_aesthetic(case: Case, scores: Arrays, *, definition: Rule = "released") -> Measurement:
    """Mean aesthetic score of every fourth frame."""
    return _mean(scores["score"], definition)


@metric(version=1, unit="", higher_is_better=True, bounds=(0, 1), needs=[frame_qualities()])
def memobench_image_quality(case: Case, scores: Arrays, *, definition: Rule = "released") -> Measurement:
    """Mean no-reference image quality of every fourth frame."""
    return _mean(np.clip(scores["score"], 0, 1), definition)


@metric(version=1, unit="", higher_is_better=False, bounds=(0, 10), needs=[phase_perceptual_distances()])
def memobench_lpips(
    case: Case, distances: Arrays, *, phase: PhaseChoice = "all", definition: Rule = "released"
) -> Measurement:
    """Mean learned perceptual distance of a phase to the reference video."""
    return phase_mean(distances, "lpips", phase, definition)


@metric(version=1, unit="", higher_is_better=True, bounds=(0, 1), needs=[prompt_rewards()])
def memobench_image_reward(case: Case, rewards: Arrays, *, definition: Rule = "released") -> Measurement:
    """Mean over five frames of the sigmoid of the prompt reward."""
    return _mean(1.0 / (1.0 + np.exp(-rewards["reward"])), definition)


@metric(version=1, unit="", higher_is_better=True, bounds=(0, 1), needs=[revisit_similarities()])
def memobench_revisit_similarity(case: Case, revisits: Arrays, *, definition: Rule = "released") -> Measurement:
    """Mean likeness of three frames of the back phase to the reference's; in the files, not on the leaderboard."""
    return _mean(revisits["similarity"], definition)


def _mean(values: np.ndarray, definition: Rule) -> Measurement:
    if not len(values):
        raise InvalidVideo("no frame was sampled")
    mean = float(np.mean(values))
    return Measurement(round(mean, 4) if definition == "released" else mean, tuple(float(v) for v in values))
