"""A run played through without doing it: clips go by the driver, cores, GPUs, the store and the judge as each has room.

Pure: seconds in, seconds out. `worldgauge.engine.scale.forecast` fills it with what was measured.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

START, CLIP = "starting workers", "the longest clip"
DRIVER, CORES, GPUS, STORE, JUDGE = "the driver", "cores", "GPUs", "the store", "the judge"


@dataclass(frozen=True)
class Clip:
    """What one clip takes."""

    cores: float = 0.0
    """Seconds of one core: reading, decoding, signals without a network, records."""
    gpu: float = 0.0
    """Seconds of one GPU."""
    stored: float = 0.0
    """Bytes that are brought to the store or fetched from it."""
    answers: float = 0.0
    """Seconds that its questions are waited for, one after the other."""


@dataclass(frozen=True)
class Machines:
    """Workers that are all alike, and what they share."""

    workers: int
    cores: int = 1
    """Of each worker."""
    ahead: int = 1
    """Clips that a worker is at side by side."""
    start: float = 0.0
    """Seconds until a worker takes its first clip."""
    driver: float = 0.0
    """Seconds of the one driver for each clip."""
    bandwidth: float = math.inf
    """Bytes in a second to and from the store, all workers together."""
    questions: int = 1
    """Clips whose questions are asked at once."""


@dataclass(frozen=True)
class Outcome:
    """How it went."""

    seconds: float
    busy: dict[str, float] = field(default_factory=dict)
    """Share of the time in which each of the things there are was at work."""
    bound: str = ""
    """What would keep the run from ending earlier even if everything else took no time."""


def play(clips: Sequence[Clip], machines: Machines) -> Outcome:
    """Play a run through. Workers take clips in their order; what waits for one thing waits in a line."""
    if not clips:
        return Outcome(0.0)
    line = _Line()
    driver, store, judge = _Desk(line, 1), _Desk(line, 1), _Desk(line, machines.questions)
    cores = [_Desk(line, machines.cores) for _ in range(machines.workers)]
    gpus = [_Desk(line, 1) for _ in range(machines.workers)]
    coming, places = deque(clips), list(itertools.repeat(machines.ahead, machines.workers))

    def hand_out(worker: int) -> None:
        if not coming or not places[worker]:
            return
        clip = coming.popleft()
        places[worker] -= 1

        def leave() -> None:
            places[worker] += 1
            hand_out(worker)

        to_store = clip.stored / machines.bandwidth
        steps = [(cores[worker], clip.cores), (gpus[worker], clip.gpu), (store, to_store)]
        _walk(iter([(driver, machines.driver), *steps]), leave)

    def begin() -> None:
        # Everybody gets a clip before anybody gets a second.
        for worker in [w for _ in range(machines.ahead) for w in range(machines.workers)]:
            hand_out(worker)

    line.after(machines.start, begin)
    for clip in clips:
        judge.serve(clip.answers, lambda: None)
    seconds = line.run()
    named = {
        DRIVER: driver.worked,
        CORES: sum(desk.worked for desk in cores) / (machines.workers * machines.cores),
        GPUS: sum(desk.worked for desk in gpus) / machines.workers,
        STORE: store.worked,
        JUDGE: judge.worked / machines.questions,
    }
    busy = {name: worked / seconds if seconds else 0.0 for name, worked in named.items()}
    return Outcome(seconds, busy, max(bounds(clips, machines).items(), key=lambda pair: pair[1])[0])


def bounds(clips: Sequence[Clip], machines: Machines) -> dict[str, float]:
    """Seconds that each thing alone asks for; no run is shorter than the longest of them.

    >>> bounds([Clip(cores=2.0), Clip(cores=4.0)], Machines(workers=2))["cores"]
    3.0
    """
    share = machines.workers
    return {
        GPUS: machines.start + sum(clip.gpu for clip in clips) / share,
        CORES: machines.start + sum(clip.cores for clip in clips) / (share * machines.cores),
        DRIVER: machines.start + machines.driver * len(clips),
        STORE: machines.start + sum(clip.stored for clip in clips) / machines.bandwidth,
        JUDGE: sum(clip.answers for clip in clips) / machines.questions,
        CLIP: max(max(machines.start + clip.cores + clip.gpu, clip.answers) for clip in clips),
        # Named where most of the time would go by before the first clip.
        START: 2 * machines.start,
    }


class _Line:
    """What happens when."""

    def __init__(self) -> None:
        self._now = 0.0
        self._coming: list[tuple[float, int, Callable[[], None]]] = []
        self._number = itertools.count()

    def after(self, seconds: float, then: Callable[[], None]) -> None:
        heapq.heappush(self._coming, (self._now + seconds, next(self._number), then))

    def run(self) -> float:
        """Let everything happen; when the last of it did."""
        while self._coming:
            self._now, _, then = heapq.heappop(self._coming)
            then()
        return self._now


class _Desk:
    """Something that serves so many at a time, in the order they come."""

    def __init__(self, line: _Line, places: int) -> None:
        self._line, self._free = line, places
        self._waiting: deque[tuple[float, Callable[[], None]]] = deque()
        self.worked = 0.0
        """Seconds, all places together."""

    def serve(self, seconds: float, then: Callable[[], None]) -> None:
        if not seconds:
            then()
        elif self._free:
            self._begin(seconds, then)
        else:
            self._waiting.append((seconds, then))

    def _begin(self, seconds: float, then: Callable[[], None]) -> None:
        self._free -= 1
        self.worked += seconds

        def done() -> None:
            self._free += 1
            if self._waiting:
                self._begin(*self._waiting.popleft())
            then()

        self._line.after(seconds, done)


def _walk(steps: Iterator[tuple[_Desk, float]], at_end: Callable[[], None]) -> None:
    """Go from desk to desk."""
    step = next(steps, None)
    if step is None:
        at_end()
        return
    desk, seconds = step
    desk.serve(seconds, lambda: _walk(steps, at_end))
