"""What a run's judge has cost so far, from the ledger in the run folder; read also while it is written."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from worldgauge.core.reading import read_lines

LEDGER = "judge.jsonl"
_REPLIED = "replied"


@dataclass(frozen=True)
class Spent:
    """Of all times the command ran on a folder."""

    calls: int = 0
    cost: float = 0.0
    """As the providers told it."""
    unknown: float = 0.0
    """The most that calls can have cost whose price nobody told."""
    seconds: float = 0.0
    """That replies were waited for, all together."""
    replies: int = 0

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.calls + other.calls,
            self.cost + other.cost,
            self.unknown + other.unknown,
            self.seconds + other.seconds,
            self.replies + other.replies,
        )


def spent_in(folder: Path, since: float = 0.0) -> Spent:
    """Attempts since a moment; torn lines, and lines about batches, are left out."""
    file, found = folder / LEDGER, Spent()
    if not file.is_file():
        return found
    for _, line in read_lines(file):
        try:
            entry = json.loads(line)
            if "outcome" not in entry or entry["time"] < since:
                continue
            cost, replied = entry.get("cost"), entry["outcome"] == _REPLIED
            found += Spent(
                1,
                float(cost or 0.0),
                float(entry.get("reserved", 0.0)) if cost is None else 0.0,
                float(entry["seconds"]) if replied else 0.0,
                int(replied),
            )
        except (ValueError, TypeError, KeyError):
            continue
    return found
