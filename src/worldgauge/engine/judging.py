"""Asking a judge beside the workers: threads of the main process, whose answers go into the store as they come.

What rests on answers is computed by the workers in the last pass, a case as soon as its answers are there. What a
question rests on, such as boxes drawn into its pictures, workers perceive in an earlier pass: it is asked after that.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace

from worldgauge.core.asking import ABOUT, AskedInstrument, OnAsked, Shared
from worldgauge.core.errors import Outcome, StopsRun, WorldGaugeError
from worldgauge.core.signal import SIGNALS, SignalUse, inherited
from worldgauge.engine.definitions import Seats
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.job import Job
from worldgauge.engine.loaded import Loaded
from worldgauge.engine.perception import Perception
from worldgauge.engine.plan import CaseWork, Plan
from worldgauge.engine.stages import Stages
from worldgauge.engine.store import Store
from worldgauge.engine.watch import told
from worldgauge.engine.work import WorkItem

log = logging.getLogger(__name__)

Reasons = dict[SignalUse, WorldGaugeError]
_LOOK = 0.2
"""Seconds between two looks for Ctrl-C."""
_LEAVE = 5.0
"""Seconds that calls in the air are given when a run is stopped, so that what is paid for is kept."""


class Judging:
    """The questions of one run."""

    def __init__(
        self,
        judge: AskedInstrument,
        works: list[CaseWork],
        stages: Stages,
        seats: Seats,
        job: Job,
        on_asked: OnAsked,
        shared: Shared,
    ) -> None:
        self._judge, self._seats = judge, seats
        self._counters: Counter[str] = Counter()
        self._store = Store.of(job.setup)
        self._loaded = Loaded(seats, job.setup.device)
        self._stop = threading.Event()
        self._to_ask: queue.SimpleQueue[CaseWork] = queue.SimpleQueue()
        self._asked: queue.SimpleQueue[tuple[tuple[str, int], Reasons]] = queue.SimpleQueue()
        self._waiting = {(work.case.id, work.take) for work in works}
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()
        self._computing = threading.Lock()
        self._broken: StopsRun | None = None
        self._rests_on = {(work.case.id, work.take): _rests_on(work, stages, seats) for work in works}
        self._unperceived = {(work.case.id, work.take): work for work in works}
        for key, stage in self._rests_on.items():
            if stage is None:
                self._ask_about(key)
        judge.begin(job.setup.out, job.spending, self._stop, on_asked, shared)
        count = min(judge.concurrency, len(works))
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    @classmethod
    def of(cls, job: Job, plan: Plan, on_asked: OnAsked, shared: Shared) -> Judging | None:
        """The questions of a plan, being asked from now on; None where there are none."""
        judge = job.setup.judge
        works = [work for work in plan.works if work.video is not None and _asked_of(work)]
        if judge is None or not works:
            return None
        return cls(judge, works, plan.stages, job.setup.build()[0], job, on_asked, shared)

    def perceived(self, stage: int, key: tuple[str, int]) -> None:
        """A worker has done with a video in a pass."""
        if self._rests_on.get(key) == stage:
            self._ask_about(key)

    def when_answered(self, items: Iterator[WorkItem]) -> Iterator[WorkItem]:
        """The items of the last pass: first those that ask nothing, then each when its questions are answered."""
        for key in list(self._unperceived):
            self._ask_about(key)
        later: dict[tuple[str, int], WorkItem] = {}
        for item in items:
            if item.key in self._waiting:
                later[item.key] = item
            else:
                yield item
        while self._waiting:
            try:
                key, reasons = self._asked.get(timeout=_LOOK)
            except queue.Empty:
                continue
            if self._broken is not None:
                raise self._broken
            self._waiting.discard(key)
            if key in later:
                yield replace(later.pop(key), unanswered=reasons)

    def close(self) -> dict[str, float]:
        """Stop asking, wait a little for the calls in the air; what was counted."""
        self._stop.set()
        until = time.monotonic() + _LEAVE
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        return dict(self._counters) | self._judge.finish()

    def remarks(self) -> list[str]:
        return self._judge.remarks()

    def _ask_about(self, key: tuple[str, int]) -> None:
        work = self._unperceived.pop(key, None)
        if work is not None:
            self._to_ask.put(work)

    def _work(self) -> None:
        while not self._stop.is_set():
            try:
                work = self._to_ask.get(timeout=_LOOK)
            except queue.Empty:
                if not self._waiting:
                    return
                continue
            reasons: Reasons = {}
            try:
                reasons = self._ask(work)
            except StopsRun as error:
                self._broken = error
                self._stop.set()
            finally:
                self._asked.put(((work.case.id, work.take), reasons))

    def _ask(self, work: CaseWork) -> Reasons:
        """Why there is no answer, for each signal that has none; the others are in the store."""
        video = copy(work.video) if work.video is not None and work.video.on_disk is not None else work.video
        perception = Perception(CaseInputs(work.case, video), self._seats, self._store, self._loaded)
        ABOUT.set(work.case.id)
        reasons: Reasons = {}
        for use in _asked_of(work):
            try:
                self._prepare(use, perception, work)
                with self._one_at_a_time(perception.key(use)):
                    perception.value(use)
            except StopsRun:
                raise
            except WorldGaugeError as error:
                reasons[use] = error
            except Exception as error:
                log.exception("case %s, %s", work.case.id, use.describe())
                reasons[use] = WorldGaugeError(told(error))
        with self._lock:
            self._counters += _perceived_here(perception)
        return reasons

    def _prepare(self, use: SignalUse, perception: Perception, work: CaseWork) -> None:
        """Compute what a question rests on and no worker has kept, such as pictures with boxes drawn into them.

        One at a time: instruments are not made for many threads.
        """
        for need in inherited(use, self._seats):
            if SIGNALS.get(need.signal).is_asked:
                continue
            with self._computing:
                # Why it could not be computed is raised again where the question asks for it.
                with contextlib.suppress(Outcome):
                    perception.value(need)
                perception.serve_readers(need, work.compute)

    def _one_at_a_time(self, key: str) -> threading.Lock:
        """A question that two videos have in common is asked once: the second finds the answer in the store."""
        with self._lock:
            return self._locks.setdefault(key, threading.Lock())


def refuse_unconfirmed(planned: Sequence[tuple[Job, Plan]]) -> None:
    """Raise where frames and texts would leave the machine for a host that nobody has agreed to, or where benchmarks
    that are scored together name different limits."""
    asking = [(job, plan) for job, plan in planned if plan.judge is not None and plan.asking.calls]
    for job, plan in asking:
        for place in plan.judge.places if plan.judge is not None else ():
            if place not in job.send_to:
                raise WorldGaugeError(
                    f"the judge would send {sending(plan)} to {place}", f"agree to it with --send-to {place}"
                )
    if len({job.spending for job, _ in planned}) > 1:
        raise WorldGaugeError("benchmarks that are scored together have one purse", "give all of them the same limits")


def sending(plan: Plan) -> str:
    """What leaves the machine, in words."""
    asking = plan.asking
    shown = f"{asking.images} frames" if asking.images else "the videos"
    cases = sum(1 for work in plan.works if _asked_of(work))
    return f"{shown} of {cases} clips, with the questions about them,"


def _asked_of(work: CaseWork) -> list[SignalUse]:
    return [use for use in work.compute if SIGNALS.get(use.signal).is_asked]


def _rests_on(work: CaseWork, stages: Stages, seats: Seats) -> int | None:
    """The pass after which everything is in the store that the questions about a video rest on; None: they need none.

    What is not kept, such as the frames themselves, is made anew where it is asked about.
    """
    below: set[SignalUse] = set()
    pending = _asked_of(work)
    while pending:
        needs = set(inherited(pending.pop(), seats)) - below
        below |= needs
        pending += needs
    due = {use for use in below.intersection(work.compute) if SIGNALS.get(use.signal).kept}
    passes = {stages.of_use[use] for use in due if not SIGNALS.get(use.signal).is_asked}
    return max((stage for stage in passes if stage != stages.asking), default=None)


def _perceived_here(perception: Perception) -> Counter[str]:
    """What asking itself had to perceive; the answers are counted by the judge."""
    return Counter({name: n for name, n in perception.counters.items() if _is_perception(name)})


def _is_perception(counter: str) -> bool:
    kind, _, signal = counter.partition(":")
    return kind == "computed" and not SIGNALS.get(signal).is_asked
