"""From a case to the chunks of the clip that a model is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldgauge.benchmarks.worldolympiad.inputs.controls import PlannedChunk, Unsupported
from worldgauge.benchmarks.worldolympiad.inputs.families import Family
from worldgauge.benchmarks.worldolympiad.inputs.lengths import (
    FrameRule,
    asked_frames,
    frames_in_one_call,
    frames_per_call,
)
from worldgauge.core.errors import WorldGaugeError


@dataclass(frozen=True)
class Lengths:
    """How long a clip is: what was declared, else what the family has."""

    fps: float
    rule: FrameRule
    frames: int | None = None
    """Of the whole clip; None: each chunk is as long as its interval."""

    @classmethod
    def of(cls, family: Family, fps: float | None, frames: int | None, rule: FrameRule | None) -> Lengths:
        rate = fps or family.fps
        if rate is None:
            raise WorldGaugeError(f"nobody says how many frames per second {family.title} makes", "declare it: --fps")
        if family.frames is not None and frames not in (None, family.frames):
            raise Unsupported(f"{family.title} makes clips of {family.frames} frames, not of {frames}")
        return cls(rate, rule or family.rule, frames or family.frames)


def planned_chunks(chunks: Sequence[Mapping[str, Any]], family: Family, lengths: Lengths) -> list[PlannedChunk]:
    """The chunks of a case with their frames in the generated clip: shares of it are those of the reference."""
    if not chunks:
        raise WorldGaugeError("the case has no chunks")
    wanted = [_wanted(one, family, lengths) for one in chunks]
    deal = frames_per_call if family.call == "chunk" else frames_in_one_call
    dealt = deal(wanted, lengths.rule, lengths.frames)
    found, first = [], 0
    for one, frames in zip(chunks, dealt, strict=True):
        start, end = one["seconds"]
        found.append(
            PlannedChunk(
                one["chunk_index"],
                one["caption"],
                one["action"],
                one["interval"] if isinstance(one["interval"], str) else "",
                None if start is None or end is None else (start, end),
                first,
                frames,
            )
        )
        first += frames
    return found


def main_start(chunks: Sequence[Mapping[str, Any]]) -> float:
    """Where the main interval begins in the reference, seconds; 0 where no chunk says."""
    return min((one["seconds"][0] for one in chunks if one["seconds"][0] is not None), default=0.0)


def _wanted(chunk: Mapping[str, Any], family: Family, lengths: Lengths) -> float:
    start, end = chunk["seconds"]
    if start is not None and end is not None:
        if end <= start:
            raise WorldGaugeError(f"chunk {chunk['chunk_index']} ends before it begins", "mend its interval")
        return float(asked_frames(end - start, lengths.fps)) if lengths.frames is None else end - start
    if family.without_interval is not None and lengths.frames is None:
        return float(family.without_interval)
    raise WorldGaugeError(f"chunk {chunk['chunk_index']} has no interval, so its length is not known")
