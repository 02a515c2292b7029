"""`*_chunk_timestamps.json`: when each chunk begins and ends in a generated clip."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from worldgauge.benchmarks.worldolympiad.data.chunk_prompts import ChunkPrompt
from worldgauge.core.case import Case
from worldgauge.core.video import Video

SUFFIX = "_chunk_timestamps.json"
STARTS = ("generated_start_sec", "start_sec", "start")
ENDS = ("generated_end_sec", "end_sec", "end")
_BRACKETS = "[]()"


def seconds_of(text: str) -> float | None:
    """A time as `s`, `mm:ss` or `hh:mm:ss`; None for anything else.

    >>> seconds_of("1:30"), seconds_of("01:02:03"), seconds_of("1.5:30")
    (90.0, 3723.0, None)
    """
    parts = text.strip().split(":")
    if len(parts) > 3:
        return None
    try:
        whole = [int(part) for part in parts[:-1]]
        total = float(parts[-1])
    except ValueError:
        return None
    for power, part in enumerate(reversed(whole), start=1):
        total += part * 60**power
    return total


def interval_seconds(text: str) -> tuple[float | None, float | None]:
    """Both ends of an interval: brackets are left out, a comma parts them, else a dash.

    >>> interval_seconds("[00:00, 00:15)"), interval_seconds("1 - 2"), interval_seconds("[5]")
    ((0.0, 15.0), (1.0, 2.0), (None, None))
    """
    bare = text.strip().strip(_BRACKETS)
    for mark in (",", "-"):
        if mark in bare:
            start, _, end = bare.partition(mark)
            return seconds_of(start), seconds_of(end)
    return None, None


def joined_chunks(content: Any, prompts: Sequence[ChunkPrompt]) -> list[dict[str, Any]]:
    """Every chunk with its times and its prompt, in the order of their indices; what else the file says is kept.

    Seconds alone count: frame numbers, totals and rates are never read. A prompt is joined by index, else by position.
    Raises `ValueError` where a chunk has no time, as the original does.
    """
    items = content.get("chunks") if isinstance(content, Mapping) else content
    if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
        raise ValueError("a timestamp file holds a list of chunks")
    by_index = {prompt.chunk_index: prompt for prompt in prompts}
    found = []
    for position, item in enumerate(items):
        index = int(item.get("chunk_index", item.get("index", position)))
        prompt = by_index.get(index) or (prompts[position] if position < len(prompts) else ChunkPrompt(index, ""))
        start, end = _times(item, prompt)
        found.append(
            {
                **item,
                "source_interval": item.get("source_interval") or prompt.interval,
                "chunk_index": index,
                "generated_start_sec": start,
                "generated_end_sec": end,
                "caption": prompt.caption,
                "action": prompt.action,
            }
        )
    return sorted(found, key=lambda chunk: chunk["chunk_index"])


def frames_needed(case: Case, video: Video) -> int:
    """So many frames that every chunk has begun in the last of them, by the times beside the clip; else one for each.

    >>> frames_needed(Case(id="a", extras={"chunks": [{}, {}, {}]}), Video("a.mp4"))
    3
    """
    chunks = case.extras.get("chunks") or []
    known = [ChunkPrompt(one.get("chunk_index", k), "", "", one.get("interval")) for k, one in enumerate(chunks)]
    if video.beside is None or not video.info.fps:
        return len(known)
    try:
        timed = joined_chunks(json.loads(video.beside.read_text("utf-8-sig")), known)
        last = max((one["generated_start_sec"] for one in timed), default=0.0)
        return max(len(timed), len(known), int(last * video.info.fps + 1e-6) + 1)
    except (ValueError, TypeError, OSError, OverflowError):
        # The metrics that read the file tell what is wrong with it.
        return len(known)


def _times(item: Mapping[str, Any], prompt: ChunkPrompt) -> tuple[float, float]:
    start, end = (_first(item, keys) for keys in (STARTS, ENDS))
    if start is None or end is None:
        text = item.get("generated_interval") or item.get("interval") or prompt.interval
        told = interval_seconds(text) if isinstance(text, str) else (None, None)
        start = told[0] if start is None else start
        end = told[1] if end is None else end
    if start is None or end is None:
        raise ValueError(f"chunk {item.get('chunk_index', '')} has no start and end".replace("  ", " "))
    return start, end


def _first(item: Mapping[str, Any], keys: Sequence[str]) -> float | None:
    """The first key that is there; one that holds null keeps the others from being looked at, as released."""
    for key in keys:
        if key in item:
            return None if item[key] is None else float(item[key])
    return None
