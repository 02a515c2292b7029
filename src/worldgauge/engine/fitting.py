"""Rows that a network takes at a time, as memory allows: tried before a run, halved for all workers where it is short.

A row's result depends on the number of rows in a stack, if only in its last digits, so one run has one number for each
network, its definitions name it, and records made with another do not count.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from worldgauge.core.asking import OnAsked, OpensJudge
from worldgauge.core.errors import NoRoom, WorldGaugeError
from worldgauge.core.run_file import RunFile
from worldgauge.core.video import Video
from worldgauge.engine.executors import Executor, local_executor
from worldgauge.engine.job import Job
from worldgauge.engine.plan import Plan, make_plans
from worldgauge.engine.run import OnResult, Totals, execute_together
from worldgauge.engine.work_items import OnStep

log = logging.getLogger(__name__)
Planned = Sequence[tuple[Job, Plan]]
Told = Callable[[str], None]


def execute_fitting(
    planned: Planned,
    on_result: OnResult = lambda _: None,
    tell: Told = log.warning,
    on_asked: OnAsked = lambda _: None,
    make_executor: Callable[..., Executor] = local_executor,
    opens: OpensJudge | None = None,
    on_step: OnStep | None = None,
) -> list[tuple[Job, Plan, Totals]]:
    """Do what plans of benchmarks over the same videos say, each network with as many rows as fit."""
    planned = tried(planned)
    while True:
        try:
            totals = execute_together(planned, on_result, True, make_executor, on_asked, opens, on_step)
        except NoRoom as problem:
            planned = halved(_with_what_is_left(planned), problem, tell)
        else:
            return [(job, plan, of_job) for (job, plan), of_job in zip(planned, totals, strict=True)]


def tried(planned: Planned) -> Planned:
    """The plans for a GPU with the largest frame among the clips, on which every network is tried once it is loaded."""
    if not planned[0][0].setup.device.startswith("cuda"):
        return planned
    sizes = [
        (work.video.info.width, work.video.info.height)
        for _, plan in planned
        for work in plan.works
        if work.compute and work.video is not None and _readable(work.video)
    ]
    largest = max(sizes, key=lambda size: size[0] * size[1], default=None)
    return [(replace(job, setup=replace(job.setup, largest=largest)), plan) for job, plan in planned]


def halved(planned: Planned, problem: NoRoom, tell: Told) -> Planned:
    """New plans in which the network that had no room takes half as many rows."""
    if problem.batch < 2:
        raise WorldGaugeError(
            f"{problem.instrument} has no room on the GPU even for one frame at a time",
            "free memory on the GPU, use --device cpu, or smaller clips",
        ) from problem
    tell(f"{problem.instrument}: {problem.batch} rows at a time do not fit into the GPU's memory, half as many now")
    batches = {problem.instrument: problem.batch // 2}
    jobs = [
        replace(job, setup=replace(job.setup, batches=tuple({**dict(job.setup.batches), **batches}.items())))
        for job, _ in planned
    ]
    return list(zip(jobs, make_plans(jobs), strict=True))


def _with_what_is_left(planned: Planned) -> Planned:
    """The jobs without what they have already spent on answers in this command, out of one purse."""
    if all(job.setup.judge is None for job, _ in planned):
        return planned
    told = [RunFile.read(job.setup.out).invocations[-1].counters for job, _ in planned]
    spent = sum(counters.get("judge_spent", 0.0) + counters.get("judge_unknown", 0.0) for counters in told)
    calls = int(sum(counters.get("judge_calls", 0) for counters in told))
    return [(replace(job, spending=job.spending.without(spent, calls)), plan) for job, plan in planned]


def _readable(video: Video) -> bool:
    try:
        return video.info.frames > 0
    except (WorldGaugeError, OSError):
        return False
