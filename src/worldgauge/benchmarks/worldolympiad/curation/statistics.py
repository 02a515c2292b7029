"""What a set of cases is made of: chunks per case, actions, words and seconds, beside what the paper's figure has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from worldgauge.benchmarks.worldolympiad.formulas.camera_actions import camera_action
from worldgauge.benchmarks.worldolympiad.inputs.actions import ACTIONS, NONE, read_action
from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case
from worldgauge.core.errors import NotApplicable, WorldGaugeError
from worldgauge.core.video import Video

PAPER_CHUNKS = {1: 15, 2: 169, 3: 401, 4: 117, 5: 76, 6: 21, 7: 1}
"""Number of chunks to videos (Figure 4; they sum to 800)."""
PAPER_ACTIONS = {"W": 62.3, "D": 10.0, "A": 8.3, "S": 7.5, "W+A": 5.0, "W+D": 3.8, "other": 3.1}
"""Percent of the actions that are not None (Figure 4)."""


@dataclass(frozen=True)
class ChunkFacts:
    """One chunk as far as it is counted."""

    action: str
    words: int
    seconds: float | None = None


@dataclass(frozen=True)
class Statistics:
    """Counts over a set of cases."""

    domains: Counter[str] = field(default_factory=Counter)
    chunks: Counter[int] = field(default_factory=Counter)
    """Number of chunks to cases."""
    actions: Counter[str] = field(default_factory=Counter)
    """Label to chunks; what is no label stands as it is written."""
    words: tuple[int, ...] = ()
    seconds: tuple[float, ...] = ()
    true_actions: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Label and what the camera does, where its path is known, to chunks."""

    @property
    def cases(self) -> int:
        return sum(self.chunks.values())

    @property
    def unknown(self) -> dict[str, int]:
        """Actions that are none of the set."""
        return {name: count for name, count in self.actions.items() if name not in ACTIONS}

    def action_shares(self) -> dict[str, float]:
        """Percent of the chunks whose action is not None, the commonest first."""
        moving = {name: count for name, count in self.actions.most_common() if name != NONE}
        total = sum(moving.values())
        return {name: 100 * count / total for name, count in moving.items()} if total else {}

    def to_json(self) -> dict[str, Any]:
        agreeing = sum(count for (label, true), count in self.true_actions.items() if label == true)
        return {
            "cases": self.cases,
            "domains": dict(sorted(self.domains.items())),
            "chunks_per_case": {str(k): self.chunks[k] for k in sorted(self.chunks)},
            "mean_chunks": _mean([k for k, count in self.chunks.items() for _ in range(count)]),
            "actions": dict(self.actions.most_common()),
            "unknown_actions": self.unknown,
            "words": _spread(self.words),
            "seconds": _spread(self.seconds),
            "true_camera": {"chunks": sum(self.true_actions.values()), "agree": agreeing},
        }


def statistics_of(cases: Iterable[Case]) -> Statistics:
    """Counts over any cases that have chunks, in the released layout or in our own format."""
    found = Statistics()
    words: list[int] = []
    seconds: list[float] = []
    for case in cases:
        chunks = chunk_facts(case)
        found.domains[case.tags.get("domain", "")] += 1
        found.chunks[len(chunks)] += 1
        found.actions.update(one.action for one in chunks)
        words += [one.words for one in chunks]
        seconds += [one.seconds for one in chunks if one.seconds is not None]
        found.true_actions.update(_against_camera(case))
    return Statistics(found.domains, found.chunks, found.actions, tuple(words), tuple(seconds), found.true_actions)


def chunk_facts(case: Case) -> list[ChunkFacts]:
    """The chunks of a case."""
    told = case.extras.get("chunks")
    if told:
        return [ChunkFacts(_label(one["action"]), len(one["caption"].split()), _length(one)) for one in told]
    fps = case.condition.fps
    return [
        ChunkFacts(_label(one.action), len(one.caption.split()), (one.last + 1 - one.first) / fps if fps else None)
        for one in case.condition.chunks
    ]


def labels_and_truth(chunks: Sequence[Mapping[str, Any]], path: CameraPath, fps: float) -> list[tuple[str, str]]:
    """Each chunk's action label and the keys that the true camera path amounts to meanwhile."""
    found = []
    for one in chunks:
        start, end = one["seconds"]
        if start is None or end is None:
            continue
        first, last = round(start * fps), min(round(end * fps), len(path) - 1)
        found.append((_label(one["action"]), camera_action(path.poses[first : last + 1], (last - first) / fps)))
    return found


def _against_camera(case: Case) -> list[tuple[str, str]]:
    if case.reference.camera is None or case.reference.video is None:
        return []
    try:
        fps = Video(case.path(case.reference.video)).info.fps
        return labels_and_truth(case.extras.get("chunks") or (), case.camera("reference"), fps) if fps else []
    except (WorldGaugeError, NotApplicable, OSError):
        # A path that cannot be read costs the comparison, not the counts.
        return []


def _label(action: Any) -> str:
    text = str(action or "")
    return read_action(text) or text


def _length(chunk: Mapping[str, Any]) -> float | None:
    start, end = chunk["seconds"]
    return None if start is None or end is None else float(end - start)


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _spread(values: Sequence[float]) -> dict[str, float] | None:
    if not values:
        return None
    low, middle, high = (float(x) for x in np.percentile(values, [10, 50, 90]))
    mean, least, most = float(np.mean(values)), float(min(values)), float(max(values))
    return {"mean": mean, "least": least, "p10": low, "median": middle, "p90": high, "most": most}
