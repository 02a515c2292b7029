"""Reappearance: the score of a segmenter asked in words, the tracker's stand-in, the variant that asks for absence."""

from __future__ import annotations

from typing import Literal

from worldgauge.benchmarks.memobench.formulas.protocols import RULES, Protocol
from worldgauge.benchmarks.memobench.formulas.reappearance import (
    BANDS,
    Reappearance,
    frame_confidence,
    pooled_confidences,
    reappearance_after_absence,
)
from worldgauge.benchmarks.memobench.formulas.reappearance import reappearance as reappearance_of
from worldgauge.benchmarks.memobench.signals.phrase_masks import phrase_masks
from worldgauge.core.case import Case
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.phase_values import phases_of
from worldgauge.signals.phases import phase_lengths
from worldgauge.signals.tracks import object_track


@metric(
    version=2,
    unit="",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[phrase_masks(), phase_lengths()],
    formula=reappearance_of,
)
def reappearance(
    case: Case,
    found: Arrays,
    lengths: Arrays,
    *,
    part: Literal["score", "detection_rate", "mean_confidence"] = "score",
    band: tuple[float, float] = BANDS[0],
    fallback: float = BANDS[1][1],
    protocol: Protocol = "released",
) -> Measurement:
    """Object reappearance score: share of back frames with a mask of the asked phrase, times the best mask's score.

    A mask counts where it covers a share of the image in `band`; in a frame without one, up to `fallback` (0: no second
    try).
    """
    phases = phases_of(lengths, RULES[protocol])
    if protocol == "paper" and not phases.back_frames:
        raise InvalidVideo("the clip ends before the target is back")
    confidences = pooled_confidences(found, phases.back_frames, (band[0], band[1]), fallback)
    result = reappearance_of(confidences)
    if protocol == "released":
        result = result.rounded()
    return _found(getattr(result, part), result, confidences, phases.back_frames)


@metric(
    version=1,
    unit="",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[object_track(), phase_lengths()],
    formula=reappearance_of,
)
def pocket_reappearance(case: Case, track: Arrays, lengths: Arrays) -> Measurement:
    """Stand-in for the reappearance score, from a tracker that is shown the target instead of asked for it in words."""
    phases = phases_of(lengths, "disjoint")
    if not phases.back_frames:
        raise InvalidVideo("the clip ends before the target is back")
    confidences = sightings(track, phases.back_frames)
    result = reappearance_of(confidences)
    return _found(result.score, result, confidences, phases.back_frames, "tracked, not asked by name: ")


@metric(
    version=2,
    unit="",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[object_track(), phase_lengths()],
    formula=reappearance_after_absence,
)
def house_reappearance(case: Case, track: Arrays, lengths: Arrays) -> Measurement:
    """Reappearance, counted only as far as the target had really left the view before."""
    phases = phases_of(lengths, "disjoint")
    if not phases.gone_frames or not phases.back_frames:
        raise InvalidVideo("the clip has no gone or no back phase")
    gone, back = (sightings(track, frames) for frames in (phases.gone_frames, phases.back_frames))
    away = sum(c is None for c in gone)
    return Measurement(
        reappearance_after_absence(gone, back),
        (*gone, *back),
        f"out of view in {away} of {len(gone)} gone frames",
        frames=[*phases.gone_frames, *phases.back_frames],
    )


def _found(
    value: float, result: Reappearance, confidences: list[float | None], frames: range, remark: str = ""
) -> Measurement:
    said = f"{remark}found in {result.detected} of {result.frames} frames"
    return Measurement(value, tuple(confidences), said, frames=frames)


def sightings(track: Arrays, frames: range) -> list[float | None]:
    """Confidence of the target in each frame, None where it is not seen or covers too little or too much."""
    return [
        frame_confidence([track["area"][i]], [track["confidence"][i]]) if track["visible"][i] else None for i in frames
    ]
