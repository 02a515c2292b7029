"""Running a job: stages over cases, records as they come, a run folder that tells what was done."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from worldgauge.core.asking import OnAsked, OpensJudge, Shared
from worldgauge.core.contents import Contents, note_files
from worldgauge.core.errors import CannotWrite
from worldgauge.core.purse import Purse
from worldgauge.core.run_file import FILE_NAME, RunFile
from worldgauge.core.run_folder import Run
from worldgauge.core.sources import write_sources
from worldgauge.core.status import Status
from worldgauge.engine.answer_book import AnswerBook, gather_ballots
from worldgauge.engine.contents import establish, part_names
from worldgauge.engine.continuing import found_before
from worldgauge.engine.executors import Executor, local_executor
from worldgauge.engine.job import Job
from worldgauge.engine.journal import Journal
from worldgauge.engine.judging import Judging, refuse_unconfirmed
from worldgauge.engine.plan import Plan
from worldgauge.engine.rates import Observed, remember_costs
from worldgauge.engine.records import check_written
from worldgauge.engine.run_description import invocation, run_file
from worldgauge.engine.run_places import bringing
from worldgauge.engine.scratch import Scratch
from worldgauge.engine.store import Store
from worldgauge.engine.work import WorkItem, WorkResult
from worldgauge.engine.work_items import OnStep
from worldgauge.engine.writing import writing

OnResult = Callable[[WorkResult], None]


@dataclass
class Totals:
    """What one invocation did."""

    statuses: Counter[Status] = field(default_factory=Counter)
    counters: Counter[str] = field(default_factory=Counter)
    signal_seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Time in each signal, all workers together."""
    costs: defaultdict[str, Observed] = field(default_factory=lambda: defaultdict(Observed))
    """Of each signal what a frame of one megapixel cost, clip by clip."""
    not_stored: Counter[str] = field(default_factory=Counter)
    gpu_seconds: float = 0.0
    """In which a worker had something launched, all workers together,"""
    gpu_wall_seconds: float = 0.0
    """of so many that they had,"""
    gpu_sharing: int = 1
    """with so many workers on each GPU."""
    remarks: list[str] = field(default_factory=list)
    """What a user should know, of the judge."""
    finished: bool = False
    """False when it was interrupted."""

    @property
    def waited(self) -> float | None:
        """The share of the time in which the GPUs had nothing to do; None where none was used.

        Of workers that share a GPU only the share is known in which each had launched nothing. That they had so at the
        same time is as likely as if none knew of the others.
        """
        if not self.gpu_wall_seconds:
            return None
        return float(max(0.0, 1 - self.gpu_seconds / self.gpu_wall_seconds) ** self.gpu_sharing)

    @property
    def counted(self) -> dict[str, float]:
        """For `run.json`."""
        gpu = {name: getattr(self, name) for name in ("gpu_seconds", "gpu_wall_seconds", "gpu_sharing")}
        return dict(sorted((self.counters | (gpu if self.gpu_wall_seconds else {})).items()))

    def add(self, result: WorkResult) -> None:
        self.statuses += result.statuses
        self.counters += result.counters
        self.gpu_seconds += result.gpu_seconds
        self.not_stored.update(result.not_stored)
        for name, seconds in result.seconds.items():
            self.signal_seconds[name] += seconds
            if result.megapixels > 0:
                self.costs[name].add(result.costs.get(name, seconds) / result.megapixels)


def execute(
    job: Job,
    plan: Plan,
    on_result: OnResult = lambda _: None,
    perceive: bool = True,
    make_executor: Callable[..., Executor] = local_executor,
    on_asked: OnAsked = lambda _: None,
) -> Totals:
    """Do what the plan says. Interrupted or killed at any moment, the same call goes on where it stopped."""
    return execute_together([(job, plan)], on_result, perceive, make_executor, on_asked)[0]


def execute_together(
    planned: Sequence[tuple[Job, Plan]],
    on_result: OnResult = lambda _: None,
    perceive: bool = True,
    make_executor: Callable[..., Executor] = local_executor,
    on_asked: OnAsked = lambda _: None,
    opens: OpensJudge | None = None,
    on_step: OnStep | None = None,
) -> list[Totals]:
    """Do what plans of several benchmarks, or of several models, say in the same passes: `make_plans` makes them.

    Each has a run folder of its own. A video is decoded once per pass for all, a question that several have in common
    is asked once, and all ask out of one purse. `opens` connects to a judge that is not asked from this process.
    `on_step` learns of each signal and metric as workers are at it, where that can be seen.
    """
    if perceive:
        refuse_unconfirmed(planned)
    # Also while code of third parties runs in this process.
    planned = [(replace(job, setup=job.setup.placed()), plan) for job, plan in planned]
    started, first = time.time(), planned[0][0]
    shared = Shared(AnswerBook(Store(first.setup.store)), Purse(first.spending), opens)
    setup = replace(first.setup, beside=tuple(job.setup for job, _ in planned[1:]))
    with ExitStack() as open_folders:
        visits = sum(1 for _, plan in planned for stage in range(plan.stages.count) for _ in _items_of(plan, stage, 0))
        journal = Journal(
            [job.setup.out for job, _ in planned], first.workers, setup.ahead, visits, apart=first.workers > 1
        )

        def tell_asked(state: Mapping[str, float]) -> None:
            journal.asked(state)
            on_asked(state)

        folders = [
            open_folders.enter_context(_folder(part, job, plan, started, shared, tell_asked if perceive else None))
            for part, (job, plan) in enumerate(planned)
        ]
        executor = make_executor(setup, first.workers, perceive)
        executor.on_step = on_step
        begun, ended = time.perf_counter(), None
        try:
            for stage in range(planned[0][1].stages.count):
                if any(folder.asks_in(stage) for folder in folders):
                    # From here on answers are waited for, not frames.
                    ended = time.perf_counter()
                for result in executor.map(journal.handing_out(_items(folders, stage))):
                    with journal.taking(result):
                        for each in result.all():
                            folders[each.part].add(stage, each)
                            on_result(each)
            for folder in folders:
                check_written(folder.job.setup.out, folder.sizes)
                folder.totals.finished = True
        finally:
            executor.close()
            journal.close(setup.store)
            totals = folders[0].totals
            if totals.gpu_seconds:
                totals.gpu_wall_seconds = ((ended or time.perf_counter()) - begun) * first.workers
                totals.gpu_sharing = max(1, first.workers // setup.gpus)
    return [folder.totals for folder in folders]


@dataclass
class _Folder:
    """A run folder that is being written."""

    part: int
    """Which of the benchmarks that are scored together it is of."""
    job: Job
    plan: Plan
    number: int
    """Of this invocation."""
    totals: Totals = field(default_factory=Totals)
    judging: Judging | None = None
    """Its questions, where there are any."""
    sizes: dict[str, int] = field(default_factory=dict)
    """Bytes of each record file with what workers have written to it."""

    def add(self, stage: int, result: WorkResult) -> None:
        self.totals.add(result)
        if result.file:
            self.sizes[result.file] = max(result.size, self.sizes.get(result.file, 0))
        if self.judging is not None:
            self.judging.perceived(stage, (result.case, result.take))

    def asks_in(self, stage: int) -> bool:
        """Whether the items of a pass wait for answers."""
        return self.judging is not None and stage == self.plan.stages.asking


@contextmanager
def _folder(
    part: int, job: Job, plan: Plan, started: float, shared: Shared, on_asked: OnAsked | None
) -> Iterator[_Folder]:
    """A run folder with what it is about written down, and its questions being asked; at the end, what was done.

    Without `on_asked` nobody is asked.
    """
    out = job.setup.out
    _make_folder(out)
    with writing(out, job.break_lock), bringing(out, job.break_lock):
        before, listed, _ = found_before(job)
        file = run_file(job, plan, before)
        _look_at_the_rest(job, plan, file, listed)
        # Noted at once, so that no two invocations have one number, however this one ends.
        folder = _Folder(part, job, plan, max(plan.invocation, len(file.invocations)))
        file.invocations.append(invocation(job, folder.totals.counted, started))
        _describe(job, plan, file)
        try:
            folder.judging = Judging.of(job, plan, on_asked, shared) if on_asked is not None else None
            yield folder
        finally:
            if folder.judging is not None:
                folder.totals.counters.update(folder.judging.close())
                folder.totals.remarks += folder.judging.remarks()
            if folder.totals.finished:
                Scratch(job.setup.scratch).clear()
            file.invocations[-1] = invocation(job, folder.totals.counted, started)
            _save(file, out)
            if folder.totals.finished and job.setup.judge is not None and job.setup.judge.ballots > 1:
                gather_ballots(Run(out), Store(job.setup.store))
            remember_costs(job.setup.store, folder.totals.costs, job.setup.ahead)


def _describe(job: Job, plan: Plan, file: RunFile) -> None:
    """Write down what the folder is about before the first record."""
    out = job.setup.out
    try:
        if plan.contents is not None:
            plan.contents.write(out)
            note_files(out)
        write_sources(out, job.benchmark.cases, job.submission)
    except OSError as error:
        raise CannotWrite(f"cannot write to {out} ({error.strerror})", "free space, then run again") from error
    _save(file, out)


def _items(folders: Sequence[_Folder], stage: int) -> Iterator[WorkItem]:
    """The work of a pass. What several benchmarks ask of one video is one item, but for what waits for answers."""
    of_video: dict[Any, list[WorkItem]] = {}
    for folder in folders:
        part = folder.part
        for item in () if folder.asks_in(stage) else _items_of(folder.plan, stage, folder.number, part):
            place = None if item.video is None else item.video.on_disk
            key: Any = None
            if item.video is not None and place is not None and len(folders) > 1:
                key = place, item.video.stated_fps, item.video.beside
            others = of_video.get(key, []) if key is not None else []
            if key is None or any(other.part == part for other in others):
                key = (part, item.key)
            of_video.setdefault(key, []).append(item)
    for first, *others in of_video.values():
        yield replace(first, beside=tuple(others))
    for folder in folders:
        if folder.judging is not None and folder.asks_in(stage):
            items = _items_of(folder.plan, stage, folder.number, folder.part)
            yield from folder.judging.when_answered(items)


def _items_of(plan: Plan, stage: int, invocation: int, part: int = 0) -> Iterator[WorkItem]:
    for work in plan.works:
        # A case is visited in a stage when some metric is complete after it or some signal belongs to it.
        visited = {plan.stages.of_metric[m] for m in work.todo} | {plan.stages.of_use[use] for use in work.compute}
        if stage in visited:
            due = tuple(m for m in work.todo if plan.stages.of_metric[m] >= stage)
            final, about = stage == max(visited), (work.case, work.take, work.video, stage, due)
            yield WorkItem(*about, invocation=invocation, final=final, part=part)


def _look_at_the_rest(job: Job, plan: Plan, file: RunFile, listed: Contents | None) -> None:
    """Another run may have ended since the plan was made: what its records rest on belongs to the contents too."""
    if plan.contents is None:
        return
    reads, planned = part_names(file.definitions), plan.contents
    cases = planned.cases | (listed.cases if listed is not None else set())
    asked = [case for case in job.benchmark.cases if case.id in cases]
    if len(asked) > len(planned.cases) or not all(parts.keys() >= set(reads) for parts in planned.videos.values()):
        plan.contents, _ = establish(planned.identity, asked, job.submission, reads)


def _make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        if not os.access(out, os.W_OK):
            raise PermissionError(13, os.strerror(13))
    except OSError as error:
        raise CannotWrite(f"cannot write to {out} ({error.strerror})", "choose another folder with --out") from error


def _save(file: RunFile, out: Path) -> None:
    try:
        file.write(out)
    except OSError as error:
        # A second failure while the first is on its way up must not hide it.
        if sys.exc_info()[1] is None or isinstance(sys.exc_info()[1], OSError):
            raise CannotWrite(
                f"cannot write {out / FILE_NAME} ({error.strerror})", "free space, then run again"
            ) from error
