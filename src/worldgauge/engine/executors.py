"""Where work runs. An executor maps items to results, in any order, and can be closed. Clusters are in `scale`."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Protocol

from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine.definitions import has_foreign_code
from worldgauge.engine.job import Setup, build_together
from worldgauge.engine.limits import refuse_crowding
from worldgauge.engine.processes import Death, WorkerProcess, first_news
from worldgauge.engine.surroundings import as_found, one_blas_thread
from worldgauge.engine.team import side_by_side
from worldgauge.engine.watch import IMPORTING, NOTHING
from worldgauge.engine.work import Worker, WorkItem, WorkResult
from worldgauge.engine.work_items import OnStep, Step


class Executor(Protocol):
    """Two methods; results come in any order, because no score depends on it."""

    on_step: OnStep | None
    """Called with what workers are at, where that is seen."""

    def map(self, items: Iterable[WorkItem]) -> Iterator[WorkResult]: ...

    def close(self) -> None: ...


def local_executor(setup: Setup, workers: int, perceive: bool = True) -> Executor:
    """This process for one worker, processes of their own for several and for what must not be done here."""
    if workers == 1 and not needs_own_process(setup):
        return InlineExecutor(setup, perceive)
    return PoolExecutor(setup, workers, perceive)


def needs_own_process(setup: Setup) -> bool:
    """Whether a single worker, too, is a process of its own: code that came from elsewhere may end or hang it."""
    if not setup.limits.own_process:
        return False
    if setup.limits.stated:
        return True
    return any(has_foreign_code(definitions, seats) for _, seats, definitions in build_together(setup))


class InlineExecutor:
    """The calling process is the worker, and is left as it was found."""

    def __init__(self, setup: Setup, perceive: bool = True) -> None:
        with ExitStack() as found:
            found.enter_context(as_found())
            self._worker = Worker(setup, perceive)
            self._found = found.pop_all()
        self._ahead = setup.ahead
        self.on_step: OnStep | None = None

    def map(self, items: Iterable[WorkItem]) -> Iterator[WorkResult]:
        self._worker.on_step = self.on_step
        if self._ahead > 1:
            return side_by_side(self._worker.perform, items, self._ahead)
        return map(self._worker.perform, items)

    def close(self) -> None:
        self._worker.close()
        self._found.close()


class PoolExecutor:
    """Worker processes on this machine. What costs two workers on a case is given up there; the rest is scored."""

    _LOST = "before any metric was at work, something {0}"
    _STARTS = 3
    """Workers in a row that may die before they are ready."""

    def __init__(self, setup: Setup, workers: int, perceive: bool = True) -> None:
        refuse_crowding(workers, setup.limits)
        self._setup, self._perceive = setup, perceive
        self._most = workers
        self._workers: list[WorkerProcess] = []
        self._deaths: Counter[tuple[tuple[str, int], int, int]] = Counter()
        """By video, stage and step."""
        self._failed_starts = 0
        self.on_step: OnStep | None = None
        self._seen: dict[int, Step] = {}
        """By worker, what it was last seen at."""
        self._environment = ExitStack()
        self._environment.enter_context(one_blas_thread())

    def map(self, items: Iterable[WorkItem]) -> Iterator[WorkResult]:
        coming, again = iter(items), deque[WorkItem]()
        while True:
            self._hand_out(coming, again)
            if not any(worker.items for worker in self._workers):
                return
            for worker in first_news(self._workers):
                self._look_at(worker)
                # First, so that what it said before it died is heard.
                died = worker.death()
                yield from worker.answers()
                death = died or worker.over(self._setup.limits)
                if death is not None:
                    worker.end()
                    self._workers.remove(worker)
                    again.extend(self._left_by(worker, death))

    def _look_at(self, worker: WorkerProcess) -> None:
        """Tell what a worker is at. Between two looks it may have done several steps; its answer names them all."""
        if self.on_step is None:
            return
        before, now = self._seen.pop(id(worker), None), worker.at()
        if before is not None and before != now:
            self.on_step(before._replace(done=True))
        if now is not None:
            self._seen[id(worker)] = now
            self.on_step(now)

    def close(self) -> None:
        """Stop at once: a half-done case leaves nothing behind but stored signals."""
        for worker in self._workers:
            worker.end()
        self._workers.clear()
        self._environment.close()

    def _hand_out(self, coming: Iterator[WorkItem], again: deque[WorkItem]) -> None:
        """Give every worker with room the next item, starting workers while there are more items than workers."""
        while worker := self._one_with_room():
            item = again.popleft() if again else next(coming, None)
            if item is None:
                return
            if item.alone and worker.items:
                again.appendleft(item)
                return
            worker.give(item)

    def _one_with_room(self) -> WorkerProcess | None:
        idle = next((worker for worker in self._workers if not worker.items), None)
        if idle is not None:
            return idle
        if len(self._workers) < self._most:
            self._workers.append(WorkerProcess(self._for_next_gpu(), self._perceive))
            return self._workers[-1]
        return next((worker for worker in self._workers if worker.takes_more), None)

    def _for_next_gpu(self) -> Setup:
        """The setup of the next worker: each has a GPU of its own as far as they go."""
        if self._setup.device != "cuda" or self._setup.gpus < 2:
            return self._setup
        taken = Counter(worker.device for worker in self._workers)
        free = min((f"cuda:{k}" for k in range(self._setup.gpus)), key=lambda device: taken[device])
        return replace(self._setup, device=free)

    def _left_by(self, worker: WorkerProcess, death: Death) -> list[WorkItem]:
        """What a dead worker had still to do; the step it died at is left out when that was its second time."""
        if not worker.was_ready:
            self._failed_starts += 1
            if self._failed_starts >= self._STARTS:
                culprit = "the last one"
                if worker.step <= IMPORTING:
                    culprit = f"importing {self._setup.includes[IMPORTING - worker.step]}"
                raise WorldGaugeError(f"worker processes do not start: {culprit} {death.did}", death.hint)
            return list(worker.items)
        self._failed_starts = 0
        if not worker.items:
            return []
        if self._setup.ahead > 1 and len(worker.items) > 1:
            # Nobody knows which of them it was; one at a time it will show.
            return [replace(item, alone=True) for item in worker.items]
        item, *rest = worker.items
        step = worker.step
        place = (item.key, item.stage, step)
        self._deaths[place] += 1
        if self._deaths[place] >= 2:
            if step == NOTHING:
                item = replace(item, lost=self._LOST.format(death.twice()))
            else:
                item = replace(item, given_up={**item.given_up, step: death.twice()})
        return [item, *rest]
