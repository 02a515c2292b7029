"""What a signal costs, as runs on this store have measured it: for the estimates of plans.

A machine that is busy with other work makes every signal slower, and the next estimate must not repeat that. So a clip
counts with the time in which its signal had the processor, or waited for something else than the processor (a GPU,
another process); and of several runs the cheapest is believed.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

RATES_FILE = "rates.json"
"""In the store: what each signal cost."""
_KEPT = 8
"""Runs that are remembered of a signal."""
_FEW = 3
"""Clips below which a run says little: it counts where there is no better one."""
_MOST = 512
"""Clips of a run that are remembered of a signal."""
DECLARED, OF_CARD = 3.0, 2.0
"""How many times cheaper or dearer a signal may be than it declares, or than the card of its network says."""
_MOST_BUSY = 50.0


class Moment(NamedTuple):
    """Clocks that were read together: seconds that went by, seconds of this process on processors, and seconds in which
    this thread waited for one."""

    wall: float
    processor: float
    waited: float

    @classmethod
    def now(cls) -> Moment:
        return cls(time.perf_counter(), time.process_time(), _waited())


class Elapsed(NamedTuple):
    """What a piece of work took."""

    wall: float = 0.0
    processor: float = 0.0
    waited: float = 0.0

    @classmethod
    def since(cls, moment: Moment) -> Elapsed:
        return cls(*(after - before for before, after in zip(moment, Moment.now(), strict=True)))

    def plus(self, other: Elapsed) -> Elapsed:
        return Elapsed(*(a + b for a, b in zip(self, other, strict=True)))

    def minus(self, other: Elapsed) -> Elapsed:
        return Elapsed(*(a - b for a, b in zip(self, other, strict=True)))

    @property
    def cost(self) -> float:
        """Seconds it would have taken on a machine with a processor to spare.

        Threads of a library add processor time that passed side by side, so no more than what went by; and what was
        spent waiting for something else than a processor would have been spent there too.

        >>> Elapsed(wall=50.0, processor=1.0, waited=49.0).cost, Elapsed(wall=2.0, processor=0.1).cost
        (1.0, 2.0)
        """
        return max(0.0, min(self.wall, max(self.processor, self.wall - self.waited)))


def _waited() -> float:
    """Seconds in which this thread could have run and had no processor; 0 where the system does not count them."""
    try:
        with open("/proc/thread-self/schedstat", "rb") as stream:  # noqa: PTH123  many times for each clip
            return int(stream.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


@dataclass(frozen=True)
class Rate:
    """Seconds for a frame of one megapixel: what is expected, and from where to where it may lie."""

    low: float
    typical: float
    high: float

    @classmethod
    def within(cls, typical: float, factor: float) -> Rate:
        """A number that is known up to a factor."""
        return cls(typical / factor, typical, typical * factor)


@dataclass
class Observed:
    """The cost of one signal on the clips of a run; of very many clips every so-many-th."""

    costs: list[float] = field(default_factory=list)
    _every: int = 1
    _seen: int = 0

    def add(self, cost: float) -> None:
        if self._seen % self._every == 0:
            self.costs.append(cost)
        self._seen += 1
        if len(self.costs) >= 2 * _MOST:
            del self.costs[1::2]
            self._every *= 2

    def summary(self, ahead: int) -> list[float]:
        """Low, typical and high cost, and how many clips there were; of `ahead` clips side by side each took its time
        while the others took theirs."""
        low, typical, high = np.quantile(np.asarray(self.costs) / ahead, (0.1, 0.5, 0.9)).tolist()
        return [low, typical, high, float(self._seen)]


def read_costs(store: Path) -> dict[str, Rate]:
    """Of every signal that was measured; empty before the first run, and where the file is damaged."""
    rates = {}
    for name, known in _read(store).items():
        if isinstance(known, float):
            # Of an older version, which may have measured a busy machine.
            rates[name] = Rate(known / DECLARED, known, known)
            continue
        telling = [run for run in known if run[3] >= _FEW] or known
        typical = min(run[1] for run in telling)
        low, high = min(run[0] for run in telling), float(np.median([run[2] for run in telling]))
        rates[name] = Rate(low, typical, max(typical, high))
    return rates


def read_rates(store: Path) -> dict[str, float]:
    """The expected seconds for a frame of one megapixel, by signal."""
    return {name: rate.typical for name, rate in read_costs(store).items()}


def remember_costs(store: Path, observed: Mapping[str, Observed], ahead: int = 1) -> None:
    """Keep the measured costs for the next plan; losing them is harmless."""
    known = _read(store)
    for name, found in observed.items():
        if found.costs:
            before = known.get(name, [])
            known[name] = [*([] if isinstance(before, float) else before), found.summary(ahead)][-_KEPT:]
    if not known:
        return
    partial = store / f".{RATES_FILE}.{os.getpid()}"
    try:
        content = {name: runs if isinstance(runs, float) else {"runs": runs} for name, runs in known.items()}
        partial.write_text(json.dumps(content, sort_keys=True) + "\n", "utf-8")
        partial.replace(store / RATES_FILE)
    except OSError:
        with suppress(OSError):
            partial.unlink()


def _read(store: Path) -> dict[str, float | list[list[float]]]:
    """Signal to the runs that are remembered of it; a bare number is what an older version wrote."""
    try:
        content: Any = json.loads((store / RATES_FILE).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    found: dict[str, float | list[list[float]]] = {}
    for name, known in content.items() if isinstance(content, dict) else ():
        runs = known.get("runs") if isinstance(known, dict) else None
        if _is_cost(known):
            found[name] = float(known)
        elif isinstance(runs, list) and runs and all(map(_is_run, runs)):
            found[name] = runs
    return found


def _is_run(run: Any) -> bool:
    return isinstance(run, list) and len(run) == 4 and all(map(_is_cost, run))


def _is_cost(number: Any) -> bool:
    return isinstance(number, (int, float)) and not isinstance(number, bool) and 0 <= number < math.inf


def busyness(workers: int) -> float:
    """How many times longer work on the processors takes while others are at work on this machine as now, at least 1.

    >>> busyness(1) >= 1
    True
    """
    try:
        cores, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    except (OSError, AttributeError):
        return 1.0
    return min(_MOST_BUSY, max(1.0, (load + workers) / cores))
