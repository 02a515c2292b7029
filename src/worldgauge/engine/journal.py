"""What a run tells of itself while it goes on, for `status` and the page, and what it leaves for the next plan."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldgauge.engine.spent import Spent, spent_in
from worldgauge.engine.unit_costs import UnitCosts

if TYPE_CHECKING:
    from worldgauge.engine.work import WorkItem, WorkResult

FILE_NAME = ".progress.json"
_BETWEEN = 2.0
"""Seconds between two times that it is written."""


@dataclass(frozen=True)
class Progress:
    """Of the last time the command ran."""

    started: float
    seconds: float
    """Since then, when it was written."""
    places: int
    """Clips that all workers are at side by side."""
    visits: int
    """Clips to go over, each as often as there are passes."""
    done: int
    """Of them."""
    signals: Mapping[str, float] = field(default_factory=dict)
    """Seconds spent in each that is done, all places together."""
    judge: Mapping[str, float] = field(default_factory=dict)
    """Answered, waiting, retried, spent."""

    @classmethod
    def read(cls, folder: Path) -> Progress | None:
        """None where there is none; a damaged one is as good as none."""
        try:
            found = cls(**json.loads((folder / FILE_NAME).read_bytes()))
            numbers = [found.started, found.seconds, *found.signals.values(), *found.judge.values()]
            sound = all(map(math.isfinite, numbers)) and min(int(found.places), found.visits, found.done) >= 0
        except (OSError, ValueError, TypeError, AttributeError, OverflowError, RecursionError):
            return None
        return found if sound else None

    @property
    def written(self) -> float:
        """When this was told, by the clock of who told it: copies of the file have times of their own."""
        return self.started + self.seconds

    def busy(self) -> dict[str, float]:
        """Share of the places' time spent in each signal, the largest first."""
        whole = self.seconds * self.places
        shares = {name: seconds / whole for name, seconds in self.signals.items()} if whole > 0 else {}
        return dict(sorted(shares.items(), key=lambda pair: -pair[1]))

    @property
    def at_work(self) -> int:
        """Clips that workers are at, or wait for the judge."""
        return min(self.places, self.visits - self.done)

    @property
    def waiting(self) -> int:
        return max(0, self.visits - self.done - self.places)

    def __add__(self, other: Progress) -> Progress:
        """Of two runs side by side."""
        seconds = max(self.seconds, other.seconds)
        return Progress(
            min(self.started, other.started),
            seconds,
            self.places + other.places,
            self.visits + other.visits,
            self.done + other.done,
            _added(self.signals, other.signals),
            _added(self.judge, other.judge),
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def _added(one: Mapping[str, float], other: Mapping[str, float]) -> dict[str, float]:
    return {name: one.get(name, 0.0) + other.get(name, 0.0) for name in {**one, **other}}


class Journal:
    """Kept by the main process: told of every result, and of the judge by several threads."""

    def __init__(self, folders: Iterable[Path], workers: int, ahead: int, visits: int, apart: bool) -> None:
        """`apart`: whether workers are processes of their own, which take time to start."""
        self._folders, self._workers, self._ahead = list(folders), workers, ahead
        self._visits, self._apart = visits, apart
        self._began, self._clock = time.time(), time.perf_counter()
        self._own = 0.0
        """Processor seconds of this process for handing out clips and taking results."""
        self._written = 0.0
        self._done = self._results = self._later = 0
        self._start: float | None = None
        self._beside = self._stored = 0.0
        self._signals: dict[str, float] = {}
        self._judge: dict[str, float] = {}
        self._lock = threading.Lock()

    def handing_out(self, items: Iterator[WorkItem]) -> Iterator[WorkItem]:
        """The same items; what it takes to make them is the driver's work."""
        while True:
            before = time.thread_time()
            item = next(items, None)
            self._own += time.thread_time() - before
            if item is None:
                return
            yield item

    @contextmanager
    def taking(self, result: WorkResult) -> Iterator[None]:
        """One clip went through one pass; what is done with it inside is the driver's work."""
        before = time.thread_time()
        self._note(result)
        yield
        self._own += time.thread_time() - before

    def _note(self, result: WorkResult) -> None:
        seconds = sum(sum(each.seconds.values()) for each in result.all())
        with self._lock:
            if self._start is None:
                self._start = max(0.0, time.perf_counter() - self._clock - seconds)
            self._done += len(result.all())
            self._results += 1
            if self._results > self._workers:
                # A worker's first clip has the loading of its networks.
                self._later += 1
                self._beside += max(0.0, result.worked - seconds)
            self._stored += sum(each.stored for each in result.all())
            for each in result.all():
                self._signals = _added(self._signals, each.seconds)
            self._write()

    def asked(self, state: Mapping[str, float]) -> None:
        with self._lock:
            self._judge = dict(state)
            self._write()

    def close(self, store: Path) -> None:
        """Leave what was found out."""
        with self._lock:
            self._write(now=True)
            if not self._results:
                return
            asked = sum((spent_in(folder, self._began) for folder in self._folders), Spent())
            UnitCosts(
                answer=asked.seconds / asked.replies if asked.replies else None,
                start=self._start if self._apart else None,
                driver=self._own / self._results,
                beside=self._beside / self._later / self._ahead if self._later else None,
                stored=self._stored / self._results if self._stored else None,
            ).remember(store)

    def _write(self, now: bool = False) -> None:
        seconds = time.perf_counter() - self._clock
        if not now and seconds - self._written < _BETWEEN:
            return
        self._written = seconds
        places = self._workers * self._ahead
        told = Progress(self._began, seconds, places, self._visits, self._done, dict(self._signals), self._judge)
        text = json.dumps(told.to_json()) + "\n"
        for folder in self._folders:
            partial = folder / f"{FILE_NAME}.partial"
            # Watching is no reason for a run to stop.
            with suppress(OSError):
                partial.write_text(text, "utf-8")
                partial.replace(folder / FILE_NAME)
