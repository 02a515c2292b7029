"""The chunks of a generated clip: when each begins in it, and what it should show."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from worldgauge.benchmarks.worldolympiad.data.chunk_prompts import ChunkPrompt
from worldgauge.benchmarks.worldolympiad.data.chunk_times import SUFFIX, joined_chunks
from worldgauge.benchmarks.worldolympiad.formulas.evidence import Span
from worldgauge.benchmarks.worldolympiad.formulas.time_sampling import Film, Position
from worldgauge.core.clip import Clip
from worldgauge.core.errors import InvalidVideo, Unscored

NO_TIMES = "no-chunk-times"
"""Reason code: the video has no timestamp file that can be read."""


@dataclass(frozen=True)
class TimedChunk:
    """A chunk of a generated clip."""

    index: int
    span: Span
    caption: str
    action: str
    source_interval: str
    row: Mapping[str, Any]
    """As the released code joins it from prompts and times."""


def timed_chunks(clip: Clip, prompts: Sequence[dict[str, Any]]) -> list[TimedChunk]:
    """The chunks of a clip by the timestamp file beside it. Unscored where there is none, or none that can be read."""
    file = clip.video.beside
    if file is None:
        raise Unscored(f"no timestamp file lies beside the video (*{SUFFIX})", "write one", code=NO_TIMES)
    known = [ChunkPrompt(one["chunk_index"], one["caption"], one["action"], one["interval"]) for one in prompts]
    try:
        found = joined_chunks(json.loads(file.read_text("utf-8-sig")), known)
    except (ValueError, TypeError, OSError) as error:
        raise Unscored(f"{file.name} is no timestamp file: {error}", "mend it", code=NO_TIMES) from error
    if not all(isfinite(one[end]) for one in found for end in ("generated_start_sec", "generated_end_sec")):
        raise Unscored(f"{file.name} has a time that is no number", "mend it", code=NO_TIMES)
    return [
        TimedChunk(
            one["chunk_index"],
            Span(one["generated_start_sec"], one["generated_end_sec"]),
            one["caption"],
            str(one["action"] or ""),
            str(one["source_interval"] or ""),
            one,
        )
        for one in found
    ]


def film_of(clip: Clip) -> Film:
    """What the samplers must know of a clip."""
    return Film(clip.fps or 0.0, clip.count)


def frame_numbers(positions: Sequence[Position], clip: Clip) -> tuple[int, ...]:
    """Positions as frame numbers; a clip without a rate has none."""
    if any(not isinstance(position, int) for position in positions):
        raise InvalidVideo("the clip has no frame rate, so no frame belongs to a time")
    return tuple(min(int(position), clip.count - 1) for position in positions if isinstance(position, int))
