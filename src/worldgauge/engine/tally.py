"""What the records of a run folder come to, kept while it grows: the next look reads only what is new.

A run of millions of records takes a minute to read, and a page that watches it looks every few seconds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from worldgauge.core.contents import FILE_NAME as CONTENTS_FILE
from worldgauge.core.record_lines import RecordLines, record_files
from worldgauge.core.run_file import FILE_NAME as RUN_FILE
from worldgauge.core.run_folder import Run
from worldgauge.core.status import Status
from worldgauge.core.validity import Counting

_FAILURES = (Status.ERROR, Status.UNSCORED, Status.INVALID, Status.MISSING)
_Video = tuple[str, int]
_Outcome = tuple[int, str, str]
"""Invocation, status, reason."""


class Tally:
    """Of one run folder: each metric and video counts once, by the record of the last invocation."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stamp: tuple[Any, ...] = ()
        self._ends: Mapping[str, int] = {}

    def look(self) -> Run:
        """Read what is new; all of it where the folder is no longer what it was."""
        stamp = tuple(_state_of(self._folder / name) for name in (RUN_FILE, CONTENTS_FILE))
        if stamp != self._stamp or not self._only_grew():
            self._begin(stamp)
        lines = RecordLines(self._folder, self._ends)
        self._counting.lines = lines
        for record in self._counting:
            self._add(record)
        self._ends = lines.ends
        return self.run

    def _begin(self, stamp: tuple[Any, ...]) -> None:
        self.run = Run(self._folder)
        self._last = len(self.run.file.invocations) - 1
        self._counting = Counting(RecordLines(self._folder), self.run.file.definitions, self.run.contents)
        self._current: defaultdict[str, dict[_Video, _Outcome]] = defaultdict(dict)
        # Millions of records say the same few things about the same videos: each is in memory once.
        self._videos: dict[_Video, _Video] = {}
        self._outcomes: dict[_Outcome, _Outcome] = {}
        self.statuses: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        """`status: reason` to how many records."""
        self.written = self.fresh = 0
        """Records that need not be tried again, or were; and lines of the last invocation."""
        self.latest = 0.0
        """When the last one of them was made."""
        self._stamp, self._ends = stamp, {}

    def _only_grew(self) -> bool:
        sizes = {file.name: file.stat().st_size for file in record_files(self._folder)}
        return all(sizes.get(name, -1) >= end for name, end in self._ends.items())

    def _add(self, record: Mapping[str, Any]) -> None:
        invocation, video = record.get("invocation", 0), (record["case"], record.get("take", 0))
        if invocation == self._last:
            self.fresh, self.latest = self.fresh + 1, max(self.latest, record.get("time", 0.0))
        of_metric, outcome = self._current[record["metric"]], (invocation, record["status"], record.get("reason", ""))
        before = of_metric.get(video)
        if before is not None:
            if invocation < before[0]:
                return
            self._count(before, -1)
        of_metric[self._videos.setdefault(video, video)] = self._outcomes.setdefault(outcome, outcome)
        self._count(outcome, 1)

    def _count(self, outcome: _Outcome, by: int) -> None:
        invocation, status, reason = outcome
        self.statuses[status] += by
        if status in _FAILURES:
            self.failures[f"{status}: {reason}"] += by
        if status != Status.ERROR or invocation == self._last:
            self.written += by


class Tallies:
    """Those of the folders that somebody watches."""

    def __init__(self) -> None:
        self._known: dict[Path, Tally] = {}

    def of(self, folder: Path) -> Tally:
        return self._known.setdefault(folder, Tally(folder))


def _state_of(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_size, found.st_mtime_ns
