"""Scores by the part of the clip: the segments of the captions, or the legs of the action script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from worldgauge.benchmarks.mbench.data.case_parts import LEGS, legs_of, segments_of
from worldgauge.benchmarks.mbench.formulas.conditions import read_condition
from worldgauge.benchmarks.mbench.official.metric_ids import trigger_of
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.frame_list import unpack_frames
from worldgauge.core.run_folder import Run

SCORES = ("texture", "style", "text", "action")
"""Those that are the mean of a curve over frames. Others compare frames of several segments."""


@dataclass(frozen=True)
class Line:
    """One score over one segment, 0 to 100."""

    score: str
    segment: str
    """Its number, and for action clips its verb."""
    value: float
    clips: int
    """That have a number in the segment, and count by their trigger."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def segment_table(run: Run) -> list[Line]:
    """A line for every score and segment: the mean over clips of the clip's mean in the segment."""
    cases = {name: source.case for name, source in run.sources().items()}
    records = run.records()
    triggers = {(r["metric"], r["case"]): r.get("raw") for r in records if "_trigger" in str(r["metric"])}
    found: dict[tuple[str, str], list[float]] = {}
    for record in records:
        setting, _, score = str(record["metric"]).partition("_")
        if score not in SCORES or not record.get("curve"):
            continue
        told = triggers.get((trigger_of(setting, score, record["tags"].get("subset", "")), record["case"]))
        if told is not None and told <= 0.5:
            continue
        case = cases.get(record["case"]) or Case(id=record["case"], tags=record["tags"])
        curve = np.array([np.nan if value is None else value for value in record["curve"]], np.float64)
        frames = unpack_frames(record.get("curve_frames"), len(curve)) or list(range(len(curve)))
        for name, first, last in segments(case, max(frames) + 1):
            inside = curve[[first <= frame < last for frame in frames]]
            if np.isfinite(inside).any():
                found.setdefault((str(record["metric"]), name), []).append(float(np.nanmean(inside)))
    if not found:
        raise WorldGaugeError(f"{run.folder} has no score that is a mean over frames", f"run {', '.join(SCORES)}")
    # Cosines below 0 count as 0, as in the scores themselves.
    return [
        Line(score, name, 100 * float(np.clip(np.mean(values), 0, 1)), len(values))
        for (score, name), values in sorted(found.items())
    ]


def segments(case: Case, count: int) -> Iterator[tuple[str, int, int]]:
    """Name, first frame and the one after the last of every segment of a clip of `count` frames."""
    shares = _shares(case)
    ends = count * np.cumsum([0.0, *(share for _, share in shares)]) / sum(share for _, share in shares)
    # Whole frames; a fifth, five times, is not one to a computer.
    whole = np.floor(ends.round(9)).astype(int).tolist()
    for number, ((verb, _), (first, last)) in enumerate(zip(shares, pairwise(whole), strict=True), start=1):
        yield f"{number} {verb}".strip(), first, last


def _shares(case: Case) -> Sequence[tuple[str, float]]:
    if case.extras.get(LEGS):
        return legs_of(case)
    if case.tags.get("setting") == "A":
        return read_condition(case.tags.get("condition", "")).legs
    count = segments_of(case)
    return [("", 1 / count)] * count
