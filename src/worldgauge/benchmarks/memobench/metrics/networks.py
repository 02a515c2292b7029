"""Metrics that rest on networks without a weight-free counterpart."""

from __future__ import annotations

import numpy as np

from worldgauge.benchmarks.memobench.formulas.protocols import Protocol, rounded
from worldgauge.benchmarks.memobench.formulas.small_rules import reward_frames
from worldgauge.benchmarks.memobench.metrics.fidelity import phase_mean
from worldgauge.benchmarks.memobench.signals.networks import (
    frame_aesthetics,
    frame_qualities,
    phase_perceptual_distances,
    prompt_rewards,
    revisit_similarities,
)
from worldgauge.core.case import Case
from worldgauge.core.errors import InvalidVideo, Unscored
from worldgauge.core.metric import Frames, Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.phase_values import PhaseChoice, phase_values


def mean_score(values: np.ndarray, protocol: Protocol, frames: Frames | None = None) -> Measurement:
    """Mean of a network's scores over the sampled frames, and the scores."""
    if not len(values):
        raise InvalidVideo("no frame was sampled")
    mean = float(np.mean(values))
    return Measurement(rounded(mean, protocol), tuple(float(v) for v in values), frames=frames)


@metric(version=1, unit="", higher_is_better=True, bounds=(-5, 15), needs=[frame_aesthetics()], formula=mean_score)
def aesthetic(case: Case, scores: Arrays, *, protocol: Protocol = "released") -> Measurement:
    """Mean aesthetic score of every fourth frame."""
    return mean_score(scores["score"], protocol)


@metric(version=1, unit="", higher_is_better=True, bounds=(0, 1), needs=[frame_qualities()], formula=mean_score)
def image_quality(case: Case, scores: Arrays, *, protocol: Protocol = "released") -> Measurement:
    """Mean no-reference image quality of every fourth frame."""
    return mean_score(np.clip(scores["score"], 0, 1), protocol)


@metric(
    version=2,
    unit="",
    higher_is_better=False,
    bounds=(0, 10),
    needs=[phase_perceptual_distances()],
    formula=phase_values,
)
def lpips(case: Case, distances: Arrays, *, phase: PhaseChoice = "all", protocol: Protocol = "released") -> Measurement:
    """Mean learned perceptual distance of a phase to the reference video."""
    return phase_mean(distances, "lpips", phase, protocol)


@metric(version=2, unit="", higher_is_better=True, bounds=(0, 1), needs=[prompt_rewards()])
def image_reward(case: Case, rewards: Arrays, *, protocol: Protocol = "released") -> Measurement:
    """Mean over five frames of the sigmoid of the prompt reward; frames on which the network failed are left out."""
    sigmoids = 1.0 / (1.0 + np.exp(-rewards["reward"]))
    told = np.isfinite(sigmoids)
    if not told.any():
        raise Unscored("the network could not tell on any of the five frames")
    curve = tuple(float(s) if known else None for s, known in zip(sigmoids, told, strict=True))
    return Measurement(rounded(float(sigmoids[told].mean()), protocol), curve, frames=reward_frames)


@metric(version=1, unit="", higher_is_better=True, bounds=(0, 1), needs=[revisit_similarities()], formula=mean_score)
def revisit_similarity(case: Case, revisits: Arrays, *, protocol: Protocol = "released") -> Measurement:
    """Mean likeness of three frames of the back phase to the reference's; in the files, not on the leaderboard."""
    return mean_score(revisits["similarity"], protocol, revisits["pairs"][:, 0].tolist())
