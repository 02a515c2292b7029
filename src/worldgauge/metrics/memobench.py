"""MemoBench's automated metrics, phase by phase. `definition` chooses the released code's rule or the printed one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.case import Case
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.depth_consistency import released_geometry
from worldgauge.functional.pairing import phase_pairs
from worldgauge.functional.patches import TOP_SHARE, top_patch_agreement
from worldgauge.functional.phases import Rule, Split, clamp, split, spread, spread_pairs, stride_pairs
from worldgauge.functional.smoothness import (
    FEWEST_FRAMES,
    TEMPERATURE,
    back_phase_counts,
    decay,
    paper_smoothness,
    released_phase,
    released_smoothness,
)
from worldgauge.signals.memobench import (
    anchor_similarities,
    phase_depth_similarity,
    phase_fidelity,
    phase_lengths,
    phase_warp_errors,
)

Part = Literal["mean", "minimum"]
PhaseChoice = Literal["visible", "gone", "back", "all"]
STRIDE = 4


@metric(version=1, unit="frames", higher_is_better=None, bounds=(0, 1e6), needs=[phase_lengths()])
def memobench_frames(
    case: Case,
    lengths: Arrays,
    *,
    what: Literal["clip", "reference", "gone", "back"] = "clip",
    definition: Rule = "released",
) -> Measurement:
    """Frames of the clip or its reference, or the clip's first frame without the target, or with the target back."""
    frames, reference_frames = (int(n) for n in lengths["lengths"])
    phases = phases_of(lengths, definition)
    chosen = {"clip": frames, "reference": reference_frames, "gone": phases.gone, "back": phases.back}
    return Measurement(float(chosen[what]))


@metric(version=1, unit="dB", higher_is_better=True, bounds=(0, 99), needs=[phase_fidelity()])
def memobench_psnr(
    case: Case, fidelity: Arrays, *, phase: PhaseChoice = "all", definition: Rule = "released"
) -> Measurement:
    """Mean peak signal-to-noise ratio of a phase against the reference video."""
    return phase_mean(fidelity, "psnr", phase, definition)


@metric(version=1, unit="", higher_is_better=True, bounds=(-1, 1), needs=[phase_fidelity()])
def memobench_ssim(
    case: Case, fidelity: Arrays, *, phase: PhaseChoice = "all", definition: Rule = "released"
) -> Measurement:
    """Mean structural similarity of a phase to the reference video."""
    return phase_mean(fidelity, "ssim_full" if definition == "released" else "ssim_valid", phase, definition)


@metric(version=1, unit="", higher_is_better=True, bounds=(0, 1), needs=[phase_warp_errors(stride=STRIDE)])
def memobench_smoothness(
    case: Case, warped: Arrays, *, definition: Rule = "released", temperature: float = TEMPERATURE
) -> Measurement:
    """Motion smoothness: photometric error after warping by optical flow in the visible and the back phase."""
    phases, frames = phases_of(warped, definition), int(warped["lengths"][0])
    visible, back = (
        _values(warped, "error", stride_pairs(p, STRIDE)) for p in (phases.visible_frames, phases.back_frames)
    )
    curve = tuple(decay(e, temperature) for e in (*visible, *back))
    if definition == "paper":
        if not curve:
            raise InvalidVideo("neither phase holds two sampled frames")
        return Measurement(paper_smoothness([*visible, *back], temperature), curve)
    sampled = [len(p[::STRIDE]) for p in (phases.visible_frames, phases.back_frames)]
    scores = [released_phase(e, n, temperature) for e, n in zip((visible, back), sampled, strict=True)]
    counted_back = scores[1] if back_phase_counts(frames, phases.back) else None
    short = [name for name, n in zip(("visible", "back"), sampled, strict=True) if n < FEWEST_FRAMES]
    reason = f"{' and '.join(short)} phase too short: counts as 0" if short and counted_back is not None else ""
    return Measurement(released_smoothness(scores[0], counted_back), curve, reason)


@metric(version=1, unit="", higher_is_better=True, bounds=(0, 1), needs=[anchor_similarities()])
def memobench_identity(
    case: Case,
    anchored: Arrays,
    *,
    part: Part = "mean",
    top_share: float = TOP_SHARE,
    definition: Rule = "released",
) -> Measurement:
    """Object identity: likeness of the back phase's best patches to the same places of the clip's first frame."""
    phases, frames = phases_of(anchored, definition), int(anchored["lengths"][0])
    if definition == "paper" and not phases.back_frames:
        raise InvalidVideo("the clip ends before the target is back")
    row = {int(index): number for number, index in enumerate(anchored["indices"])}
    chosen = [row[i] for i in clamp(spread(phases.back_frames, 9), frames)]
    agreement = top_patch_agreement(anchored["similarity"][chosen], top_share)
    values = agreement.means if part == "mean" else agreement.minima
    value = agreement.mean if part == "mean" else agreement.minimum
    return Measurement(_rounded(value, definition), tuple(values.tolist()))


@metric(version=1, unit="", higher_is_better=True, bounds=(0, 1), needs=[phase_depth_similarity()])
def memobench_geometry(
    case: Case, depths: Arrays, *, part: Part = "mean", definition: Rule = "released"
) -> Measurement:
    """Geometric consistency: likeness of consecutive depth maps in the visible and the back phase."""
    phases, frames = phases_of(depths, definition), int(depths["lengths"][0])
    visible, back = (
        _values(depths, "similarity", spread_pairs(p, 3, frames)) for p in (phases.visible_frames, phases.back_frames)
    )
    curve = (*visible, *back)
    if definition == "released":
        mean, minimum = released_geometry(visible, back)
        short = [name for name, values in (("visible", visible), ("back", back)) if not values]
        reason = f"{' and '.join(short)} phase too short: counts as 0" if short else ""
        return Measurement(mean if part == "mean" else minimum, curve, reason)
    if not visible or not back:
        raise InvalidVideo("a phase has fewer than two frames")
    mean = (float(np.mean(visible)) + float(np.mean(back))) / 2
    return Measurement(mean if part == "mean" else min(curve), curve)


def phases_of(arrays: Arrays, definition: Rule) -> Split:
    """The phases of the clip a signal was read from."""
    (gone, back), (frames, reference_frames) = arrays["keyframes"].tolist(), arrays["lengths"].tolist()
    return split(gone, back, reference_frames, frames, definition)


def phase_mean(fidelity: Arrays, name: str, phase: PhaseChoice, definition: Rule) -> Measurement:
    """Mean over the pairs that a phase compares."""
    (gone, back), (frames, reference_frames) = fidelity["keyframes"].tolist(), fidelity["lengths"].tolist()
    pairs = phase_pairs(gone, back, reference_frames, frames, definition)[phase]
    if not pairs:
        raise InvalidVideo(f"the clip of {frames} frames has no {phase} phase")
    values = _values(fidelity, name, pairs)
    return Measurement(_rounded(float(np.mean(values)), definition), tuple(values))


def _values(arrays: Arrays, name: str, pairs: Sequence[tuple[int, int]]) -> list[float]:
    """The values of these pairs, in this order; pairs beyond the clip have none."""
    stored: NDArray[Any] = arrays["pairs"]
    rows = {(int(i), int(j)): number for number, (i, j) in enumerate(stored)}
    return [float(arrays[name][rows[pair]]) for pair in pairs if pair in rows]


def _rounded(value: float, definition: Rule) -> float:
    """The released code writes four decimals."""
    return round(value, 4) if definition == "released" else value
