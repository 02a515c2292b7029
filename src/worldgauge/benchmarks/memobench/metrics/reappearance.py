"""The reappearance score from the target's track, and the house variant that asks whether it had left."""

from __future__ import annotations

from typing import Literal

from worldgauge.benchmarks.memobench.formulas.protocols import RULES, Protocol
from worldgauge.benchmarks.memobench.formulas.reappearance import BANDS, frame_confidence, reappearance_after_absence
from worldgauge.benchmarks.memobench.formulas.reappearance import reappearance as reappearance_of
from worldgauge.core.case import Case
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.phase_values import phases_of
from worldgauge.signals.phases import phase_lengths
from worldgauge.signals.tracks import object_track


@metric(
    version=1,
    unit="",
    higher_is_better=True,
    bounds=(0, 1),
    needs=[object_track(), phase_lengths()],
    formula=reappearance_of,
)
def reappearance(
    case: Case,
    track: Arrays,
    lengths: Arrays,
    *,
    part: Literal["score", "detection_rate", "mean_confidence"] = "score",
    band: tuple[float, float] = BANDS[0],
    protocol: Protocol = "released",
) -> Measurement:
    """Object reappearance score: share of back frames in which the target is found, times how surely it is."""
    phases = phases_of(lengths, RULES[protocol])
    if protocol == "paper" and not phases.back_frames:
        raise InvalidVideo("the clip ends before the target is back")
    confidences = sightings(track, phases.back_frames, band)
    result = reappearance_of(confidences)
    if protocol == "released":
        result = result.rounded()
    return Measurement(
        getattr(result, part),
        tuple(confidences),
        f"found in {result.detected} of {result.frames} frames",
        frames=phases.back_frames,
    )


@metric(
    version=1,
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


def sightings(track: Arrays, frames: range, band: tuple[float, float] = BANDS[0]) -> list[float | None]:
    """Confidence of the target in each frame, None where it is not seen or covers too little or too much."""
    bands = ((band[0], band[1]), (band[0], max(band[1], BANDS[1][1])))
    found: list[float | None] = []
    for index in frames:
        seen = bool(track["visible"][index])
        found.append(frame_confidence([track["area"][index]], [track["confidence"][index]], bands) if seen else None)
    return found
