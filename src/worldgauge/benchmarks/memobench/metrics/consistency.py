"""Smoothness of motion, identity of the returned object, consistency of depth."""

from __future__ import annotations

from typing import Literal

import numpy as np

from worldgauge.benchmarks.memobench.formulas.depth_consistency import depth_similarity, released_geometry
from worldgauge.benchmarks.memobench.formulas.patches import TOP_SHARE, top_patch_agreement
from worldgauge.benchmarks.memobench.formulas.protocols import RULES, Protocol, rounded
from worldgauge.benchmarks.memobench.formulas.smoothness import (
    FEWEST_FRAMES,
    TEMPERATURE,
    back_phase_counts,
    decay,
    forward_sampled_error,
    paper_smoothness,
    released_phase,
    released_smoothness,
)
from worldgauge.benchmarks.memobench.signals.phases import (
    anchor_similarities,
    phase_depth_similarity,
    phase_warp_errors,
)
from worldgauge.core.case import Case
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.phase_values import frames_of_pairs, phases_of, values_of_pairs
from worldgauge.functional.phases import clamp, spread, spread_pairs, stride_pairs

Part = Literal["mean", "minimum"]
STRIDE = 4


@metric(
    version=2,
    unit="",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[phase_warp_errors(stride=STRIDE)],
    formula=forward_sampled_error,
)
def smoothness(
    case: Case, warped: Arrays, *, protocol: Protocol = "released", temperature: float = TEMPERATURE
) -> Measurement:
    """Motion smoothness: photometric error after warping by optical flow in the visible and the back phase."""
    phases, frames = phases_of(warped, RULES[protocol]), int(warped["lengths"][0])
    pairs = [stride_pairs(p, STRIDE) for p in (phases.visible_frames, phases.back_frames)]
    visible, back = (values_of_pairs(warped, "error", of_phase) for of_phase in pairs)
    at = frames_of_pairs(warped, [*pairs[0], *pairs[1]])
    curve = tuple(decay(e, temperature) for e in (*visible, *back))
    if protocol == "paper":
        if not curve:
            raise InvalidVideo("neither phase holds two sampled frames")
        return Measurement(paper_smoothness([*visible, *back], temperature), curve, frames=at)
    sampled = [len(p[::STRIDE]) for p in (phases.visible_frames, phases.back_frames)]
    scores = [released_phase(e, n, temperature) for e, n in zip((visible, back), sampled, strict=True)]
    counted_back = scores[1] if back_phase_counts(frames, phases.back) else None
    short = [name for name, n in zip(("visible", "back"), sampled, strict=True) if n < FEWEST_FRAMES]
    reason = f"{' and '.join(short)} phase too short: counts as 0" if short and counted_back is not None else ""
    return Measurement(released_smoothness(scores[0], counted_back), curve, reason, frames=at)


@metric(
    version=2, unit="", higher_is_better=True, bounds=(0, 1), needs=[anchor_similarities()], formula=top_patch_agreement
)
def identity(
    case: Case,
    anchored: Arrays,
    *,
    part: Part = "mean",
    top_share: float = TOP_SHARE,
    protocol: Protocol = "released",
) -> Measurement:
    """Object identity: likeness of the back phase's best patches to the same places of the clip's first frame."""
    phases, frames = phases_of(anchored, RULES[protocol]), int(anchored["lengths"][0])
    if protocol == "paper" and not phases.back_frames:
        raise InvalidVideo("the clip ends before the target is back")
    row = {int(index): number for number, index in enumerate(anchored["indices"])}
    at = clamp(spread(phases.back_frames, 9), frames)
    agreement = top_patch_agreement(anchored["similarity"][[row[i] for i in at]], top_share)
    values = agreement.means if part == "mean" else agreement.minima
    value = agreement.mean if part == "mean" else agreement.minimum
    return Measurement(rounded(value, protocol), tuple(values.tolist()), frames=at)


@metric(
    version=2, unit="", higher_is_better=True, bounds=(0, 1), needs=[phase_depth_similarity()], formula=depth_similarity
)
def geometry(case: Case, depths: Arrays, *, part: Part = "mean", protocol: Protocol = "released") -> Measurement:
    """Geometric consistency: likeness of consecutive depth maps in the visible and the back phase."""
    phases, frames = phases_of(depths, RULES[protocol]), int(depths["lengths"][0])
    pairs = [spread_pairs(p, 3, frames) for p in (phases.visible_frames, phases.back_frames)]
    visible, back = (values_of_pairs(depths, "similarity", of_phase) for of_phase in pairs)
    at = frames_of_pairs(depths, [*pairs[0], *pairs[1]])
    curve = (*visible, *back)
    if protocol == "released":
        mean, minimum = released_geometry(visible, back)
        short = [name for name, values in (("visible", visible), ("back", back)) if not values]
        reason = f"{' and '.join(short)} phase too short: counts as 0" if short else ""
        return Measurement(mean if part == "mean" else minimum, curve, reason, frames=at)
    if not visible or not back:
        raise InvalidVideo("a phase has fewer than two frames")
    mean = (float(np.mean(visible)) + float(np.mean(back))) / 2
    return Measurement(mean if part == "mean" else min(curve), curve, frames=at)
