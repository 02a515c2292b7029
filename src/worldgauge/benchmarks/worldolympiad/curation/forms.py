"""Forms of what a judge answers in the three stages, with their checks: what does not fit is never kept."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldgauge.benchmarks.worldolympiad.curation.english import why_not_english
from worldgauge.benchmarks.worldolympiad.inputs.actions import ACTIONS, read_action
from worldgauge.judge.forms import Unreadable
from worldgauge.judge.tables import is_number

MOST_CHUNKS = 6
SNAP = 0.25
"""Seconds by which two chunks may miss each other; they are then made to meet."""
SHORTEST = 0.5
"""Seconds of a chunk, at least."""
MOST_WORDS = 200
DIGITS = 1


@dataclass(frozen=True)
class ChunksForm:
    """The main interval and its chunks, in seconds: contiguous, left-closed and right-open, six at most."""

    seconds: float
    """Of the video."""

    @property
    def schema(self) -> Mapping[str, Any]:
        second = {"type": "number", "minimum": 0, "maximum": round(self.seconds, 3)}
        span = _object({"start": second, "end": second})
        chunks = {"type": "array", "items": span, "minItems": 1, "maxItems": MOST_CHUNKS}
        return _object({"reason": {"type": "string"}, "main": span, "chunks": chunks})

    def read(self, content: Any, earlier: Any = None) -> dict[str, Any]:
        """`{"main": [s, e], "chunks": [[s, e], ...], "reason": ...}`; small gaps and overlaps are closed."""
        if not isinstance(content, dict) or not isinstance(content.get("chunks"), list):
            raise Unreadable("an object with main and chunks is asked for")
        start, end = self._span(content.get("main"), "main")
        found = [self._span(item, f"chunk {number}") for number, item in enumerate(content["chunks"], 1)]
        if not 1 <= len(found) <= MOST_CHUNKS:
            raise Unreadable(f"{len(found)} chunks are given, 1 to {MOST_CHUNKS} are asked for")
        borders = [start]
        for number, (first, last) in enumerate(found, 1):
            wrong = first - borders[-1]
            if abs(wrong) > SNAP:
                before = "the main interval begins" if number == 1 else f"chunk {number - 1} ends"
                kind = "a gap" if wrong > 0 else "an overlap"
                raise Unreadable(
                    f"there is {kind}: {before} at {borders[-1]:g} s, chunk {number} begins at {first:g} s"
                )
            borders.append(last)
        if abs(borders[-1] - end) > SNAP:
            raise Unreadable(f"the last chunk ends at {borders[-1]:g} s, the main interval at {end:g} s")
        borders[-1] = end
        borders = [round(border, DIGITS) for border in borders]
        if any(b - a < SHORTEST for a, b in itertools.pairwise(borders)):
            raise Unreadable(f"a chunk is shorter than {SHORTEST:g} s")
        chunks = [[a, b] for a, b in itertools.pairwise(borders)]
        return {"main": [borders[0], borders[-1]], "chunks": chunks, "reason": str(content.get("reason", ""))}

    def settled(self, partial: Any) -> Any:
        """Nothing: half a division is none."""
        return None

    def _span(self, item: Any, what: str) -> tuple[float, float]:
        ends = (0.0, self.seconds + SNAP)
        if not isinstance(item, dict) or not all(is_number(item.get(name), ends) for name in ("start", "end")):
            raise Unreadable(f"{what} needs start and end in seconds, from 0 to {self.seconds:g}")
        start, end = float(item["start"]), min(float(item["end"]), self.seconds)
        if end <= start:
            raise Unreadable(f"{what} ends at {end:g} s, before it begins at {start:g} s")
        return start, end


@dataclass(frozen=True)
class CaptionForm:
    """Action and caption of one chunk."""

    @property
    def schema(self) -> Mapping[str, Any]:
        return _object({"action": {"type": "string", "enum": list(ACTIONS)}, "caption": {"type": "string"}})

    def read(self, content: Any, earlier: Any = None) -> dict[str, str]:
        return read_chunk(content, "the chunk")

    def settled(self, partial: Any) -> Any:
        return None


@dataclass(frozen=True)
class RefinedForm:
    """Action and caption of every chunk, each once."""

    count: int

    @property
    def schema(self) -> Mapping[str, Any]:
        item = _object(
            {
                "chunk": {"type": "integer", "minimum": 1, "maximum": self.count},
                "action": {"type": "string", "enum": list(ACTIONS)},
                "caption": {"type": "string"},
            }
        )
        return _object({"chunks": {"type": "array", "items": item, "minItems": self.count, "maxItems": self.count}})

    def read(self, content: Any, earlier: Any = None) -> list[dict[str, str]]:
        items = content.get("chunks") if isinstance(content, dict) else None
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise Unreadable("an object with chunks is asked for")
        numbers = [item.get("chunk") for item in items]
        if sorted(map(str, numbers)) != sorted(str(k) for k in range(1, self.count + 1)):
            raise Unreadable(f"every chunk from 1 to {self.count} is asked for once")
        by_number = {int(item["chunk"]): item for item in items}
        return [read_chunk(by_number[k], f"chunk {k}") for k in range(1, self.count + 1)]

    def settled(self, partial: Any) -> Any:
        return None


def read_chunk(content: Any, what: str) -> dict[str, str]:
    """An action of the set, in its one spelling, and an English caption."""
    if not isinstance(content, dict) or not isinstance(content.get("caption"), str):
        raise Unreadable(f"{what} needs action and caption")
    action = read_action(content["action"]) if isinstance(content.get("action"), str) else None
    if action is None:
        given = str(content.get("action"))[:40]
        raise Unreadable(f"{what}: '{given}' is no action; it is one of {', '.join(ACTIONS)}")
    caption = " ".join(content["caption"].split())
    if not caption:
        raise Unreadable(f"{what} has no caption")
    if len(caption.split()) > MOST_WORDS:
        raise Unreadable(f"{what}: the caption has {len(caption.split())} words, {MOST_WORDS} at most are asked for")
    if problem := why_not_english(caption):
        raise Unreadable(f"{what}: the caption is not English: {problem}")
    return {"action": action, "caption": caption}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
