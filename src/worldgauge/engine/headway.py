"""How far a run is, by what its signals are expected to cost: it moves with every signal, not only with whole cases."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable

from worldgauge.engine.job import Job
from worldgauge.engine.plan import CaseWork, Plan
from worldgauge.engine.work_items import Step, WorkResult

_RECORD = 0.001
"""Seconds that a record counts for: a run that only measures moves too."""


class Headway:
    """Kept by the main process: learns of each step that is seen, and of each result. Several threads may call it."""

    def __init__(self, planned: Iterable[tuple[Job, Plan]]) -> None:
        self._lock = threading.Lock()
        self._due: dict[tuple[str, int, int], deque[float]] = {}
        """By video and benchmark the cost of each pass over it that is not done."""
        self._costs: list[dict[str, float]] = []
        """By benchmark the cost of each signal on a clip."""
        self._under_way: dict[tuple[str, int, int], float] = {}
        """Of a video that is worked on, the cost of what is done in this pass."""
        self._done = 0.0
        for part, (_, plan) in enumerate(planned):
            self._costs.append(dict(plan.costs))
            for work in plan.works:
                self._due[work.case.id, work.take, part] = deque(_passes(work, plan))
        self._whole = sum(sum(passes) for passes in self._due.values())

    def step(self, step: Step) -> None:
        """A step began, or is done."""
        if not step.done or not step.is_signal:
            return
        with self._lock:
            due = self._due.get(step.video)
            if due:
                cost = self._under_way.get(step.video, 0.0) + self._costs[step.part].get(step.name, 0.0)
                # What a clip costs is an estimate, and something is left to do until it has answered.
                self._under_way[step.video] = min(cost, due[0])

    def result(self, result: WorkResult) -> None:
        """One video went through one pass."""
        with self._lock:
            self._under_way.pop(result.item, None)
            due = self._due.get(result.item)
            if due:
                self._done += due.popleft()

    @property
    def share(self) -> float:
        """0 at the beginning, 1 at the end."""
        with self._lock:
            done = self._done + sum(self._under_way.values())
        return min(1.0, done / self._whole) if self._whole > 0 else 1.0


def _passes(work: CaseWork, plan: Plan) -> list[float]:
    """The cost of each pass that comes to a video, in their order."""
    costs: dict[int, float] = {}
    for metric in work.todo:
        costs.setdefault(plan.stages.of_metric[metric], 0.0)
        costs[plan.stages.of_metric[metric]] += _RECORD
    for use in work.compute:
        stage = plan.stages.of_use[use]
        costs[stage] = costs.get(stage, 0.0) + plan.costs.get(use.signal, 0.0)
    return [costs[stage] for stage in sorted(costs)]
