"""Where a run stands: what is done, at work or lost, how fast it goes and when it will end. From its folder alone."""

from __future__ import annotations

import functools
import math
import operator
import socket
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from worldgauge.engine.journal import Progress
from worldgauge.engine.lease import STALE, heard_ago, is_lease
from worldgauge.engine.spent import Spent, spent_in
from worldgauge.engine.tally import Tallies
from worldgauge.engine.writing import is_there, owner_of

DONE, RUNNING, WAITING, STOPPED, LOST = "done", "running", "waiting", "stopped", "lost"
SILENT = 600.0
"""Seconds without a record after which a writer on another machine, whom nobody can ask, is taken for lost."""


@dataclass(frozen=True)
class RunStatus:
    """Of one run folder, or of the folders of several shards together."""

    state: str
    expected: int = 0
    """Records, as far as the run knows its cases."""
    written: int = 0
    """Of them; an error of an earlier time counts as soon as it was tried again."""
    statuses: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    """`status: reason` to how many records."""
    rate: float | None = None
    """Records per second of the last time the command ran; None before its first."""
    writer: str = ""
    """Who writes, or was the last to."""
    progress: Progress | None = None
    """What the last time the command ran tells of its clips."""
    networks: Mapping[str, str] = field(default_factory=dict)
    """Signal to the network that it asks."""
    spent: Spent = field(default_factory=Spent)
    """On the judge, all times together."""
    heard: float | None = None
    """Seconds since the writer of a folder by URL was heard of; None for one that is not asked after in this way."""
    told: float | None = None
    """Seconds since the run wrote `progress`."""

    @property
    def busy(self) -> dict[str, float]:
        """Share of the workers' time by network, and by signal where it asks none; the largest first."""
        shares = defaultdict[str, float](float)
        for signal, share in (self.progress.busy() if self.progress else {}).items():
            shares[self.networks.get(signal, signal)] += share
        return dict(sorted(shares.items(), key=lambda pair: -pair[1]))

    @property
    def left(self) -> int:
        return max(0, self.expected - self.written)

    @property
    def seconds_left(self) -> float | None:
        """None where nobody is at work or nobody knows."""
        if self.state != RUNNING or not self.rate:
            return None
        return self.left / self.rate

    def to_json(self) -> dict[str, Any]:
        left = self.seconds_left
        return {
            "state": self.state,
            "expected": self.expected,
            "written": self.written,
            "statuses": dict(sorted(self.statuses.items())),
            "failures": dict(self.failures.most_common()),
            "records_per_second": None if self.rate is None else round(self.rate, 3),
            "seconds_left": None if left is None else round(left, 1),
            "writer": self.writer,
            "writer_heard_seconds_ago": None if self.heard is None or math.isinf(self.heard) else round(self.heard, 1),
            "clips": None
            if self.progress is None
            else {
                "done": self.progress.done,
                "of": self.progress.visits,
                "waiting": self.progress.waiting,
                "as_of": round(self.progress.written, 1),
            },
            "busy": {name: round(share, 4) for name, share in self.busy.items()},
            "judge": {"calls": self.spent.calls, "spent": self.spent.cost, "unknown": self.spent.unknown},
        }


def run_status(folder: Path, now: float | None = None, tallies: Tallies | None = None) -> RunStatus:
    """Read the records of a run folder once; with `tallies` of an earlier look, only what is new."""
    now = time.time() if now is None else now
    tally = (tallies or Tallies()).of(folder)
    run, latest = tally.look(), tally.latest
    last = len(run.file.invocations) - 1
    expected = (len(run.contents.videos) if run.contents is not None else 0) * len(run.file.definitions)
    owner = owner_of(folder)
    state = _state(owner, tally.written >= expected, folder, now)
    heard = heard_ago(owner, now) if is_lease(owner) else None
    # What lies here of a folder by URL is of the moment at which its writer was heard of, by the writer's clock.
    moment = now if heard is None or math.isinf(heard) else max(latest, float(owner["heard"]))
    started = run.file.invocations[last].started if last >= 0 else now
    spent = (moment if state == RUNNING else latest) - started
    progress = _progress(folder, started)
    return RunStatus(
        state,
        expected,
        tally.written,
        +tally.statuses,
        +tally.failures,
        tally.fresh / spent if tally.fresh and spent > 0 else None,
        _named(owner),
        progress,
        dict(_networks(signal for definition in run.file.definitions for signal in definition.signals)),
        spent_in(folder),
        heard,
        None if progress is None else max(0.0, moment - progress.written),
    )


def _named(owner: Mapping[str, Any]) -> str:
    if not owner:
        return ""
    user = f" of {owner['user']}" if owner.get("user") else ""
    return f"process {owner.get('pid')}{user} on {owner.get('host')}"


def _progress(folder: Path, started: float) -> Progress | None:
    """That of the last time the command ran, not of one before."""
    found = Progress.read(folder)
    return found if found is not None and found.started >= started else None


def _networks(described: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for signal in described:
        yield from _networks(signal.get("needs", ()))
        instrument = signal.get("instrument") or {}
        if instrument.get("weights"):
            yield signal["signal"], instrument["name"]


def together(parts: Iterable[RunStatus]) -> RunStatus:
    """Shards as one run: they are at work side by side, so their rates add up."""
    known = list(parts)
    states = {part.state for part in known}
    order = (RUNNING, WAITING, LOST, STOPPED)
    state = next((each for each in order if each in states), DONE)
    rates = [part.rate for part in known if part.rate and part.state == RUNNING]
    return RunStatus(
        state,
        sum(part.expected for part in known),
        sum(part.written for part in known),
        sum((part.statuses for part in known), Counter[str]()),
        sum((part.failures for part in known), Counter[str]()),
        sum(rates) if rates else None,
        progress=_side_by_side(part.progress for part in known if part.state == RUNNING),
        networks={signal: network for part in known for signal, network in part.networks.items()},
        spent=sum((part.spent for part in known), Spent()),
    )


def _side_by_side(parts: Iterable[Progress | None]) -> Progress | None:
    told = [part for part in parts if part is not None]
    return functools.reduce(operator.add, told) if told else None


def _state(owner: dict[str, Any], complete: bool, folder: Path, now: float) -> str:
    """A writer takes its name out of the folder when it leaves; one that was killed does not."""
    if owner:
        return RUNNING if _is_alive(owner, folder, now) else (DONE if complete else LOST)
    return DONE if complete else STOPPED


def _is_alive(owner: dict[str, Any], folder: Path, now: float) -> bool:
    if is_lease(owner) and heard_ago(owner, now) >= STALE:
        return False
    if owner.get("host") == socket.gethostname():
        return is_there(owner.get("pid"))
    if is_lease(owner):
        return True
    written = [file.stat().st_mtime for file in (*folder.glob("records-*.jsonl"), folder / "run.json") if file.exists()]
    return now - max(written, default=0.0) < SILENT
