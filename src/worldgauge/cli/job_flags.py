"""The flags of the verbs that make a job, and the job that they make."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import wraps
from pathlib import Path
from typing import Any, get_type_hints

from worldgauge.api.building import build_job
from worldgauge.cli.options import (
    Authors,
    BenchmarkNames,
    BreakLock,
    Cameras,
    Cases,
    DataFolders,
    Device,
    Exact,
    Fast,
    GpuMemory,
    Include,
    InstrumentSet,
    JudgeBatch,
    JudgeTakes,
    MaxMemory,
    Metrics,
    Moved,
    Offline,
    Out,
    Prompt,
    Prompts,
    ProtocolName,
    References,
    Sample,
    SampleSeed,
    Shard,
    TimeLimit,
    Use,
    Videos,
    WeightsPlaces,
    Workers,
)
from worldgauge.core.asking import OFFLINE
from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine.job import Job, parse_shard
from worldgauge.engine.local_copies import local_files
from worldgauge.engine.places import is_url
from worldgauge.engine.run_places import folder_below
from worldgauge.engine.seats import Numerics
from worldgauge.verbs import JudgeName, MaxCalls, MaxCost, SendTo, StorePath, Where, parse_tags


@dataclass(frozen=True)
class JobFlags:
    """The flags of run, plan and score; each field is one flag."""

    videos: Videos
    benchmark: BenchmarkNames = None
    data: DataFolders = None
    metrics: Metrics = None
    case: Cases = None
    where: Where = None
    protocol: ProtocolName = None
    instruments: InstrumentSet = "auto"
    use: Use = None
    weights: WeightsPlaces = None
    include: Include = None
    store: StorePath = None
    out: Out = None
    sample: Sample = None
    sample_seed: SampleSeed = 0
    workers: Workers = 0
    time_limit: TimeLimit = None
    max_memory: MaxMemory = None
    gpu_memory: GpuMemory = None
    fast: Fast = False
    exact: Exact = False
    shard: Shard = "1/1"
    offline: Offline = False
    device: Device = "auto"
    reference: References = None
    prompts: Prompts = None
    cameras: Cameras = None
    moved: Moved = False
    break_lock: BreakLock = False
    judge: JudgeName = None
    judge_takes: JudgeTakes = None
    judge_batch: JudgeBatch = False
    max_cost: MaxCost = None
    max_calls: MaxCalls = None
    send_to: SendTo = None
    prompt: Prompt = None
    authors: Authors = None

    def jobs(self) -> list[Job]:
        """One job for each benchmark, over the same videos; with several, each has a folder below `--out`."""
        named: list[str | None] = [*map(_benchmark_here, self.benchmark)] if self.benchmark else [None]
        if len(set(named)) < len(named):
            raise WorldGaugeError("a benchmark is named twice", "name each once")
        if self.data and len(self.data) != len(named):
            told = f"{len(self.data)} --data for {len(named)} benchmarks"
            raise WorldGaugeError(told, "give one for each, in the same order, or none")
        data: list[Path | None] = [*self.data] if self.data else [None] * len(named)
        jobs = [self._job(benchmark, place) for benchmark, place in zip(named, data, strict=True)]
        folders = [_folder_of(job) for job in jobs]
        if len(set(folders)) < len(folders):
            raise WorldGaugeError(f"two benchmarks have one name: {', '.join(folders)}", "run them one by one")
        if len(jobs) < 2 or self.out is None:
            return jobs
        return [replace(job, setup=replace(job.setup, out=folder_below(self.out, _folder_of(job)))) for job in jobs]

    def job(self) -> Job:
        """The one job of a verb that takes one benchmark."""
        if len(self.benchmark or ()) > 1:
            raise WorldGaugeError("this takes one benchmark at a time", "'worldgauge run' takes several")
        return self.jobs()[0]

    def _numerics(self) -> Numerics | None:
        if self.fast and self.exact:
            raise WorldGaugeError("--fast and --exact contradict each other", "give one of them")
        return "fast" if self.fast else "exact" if self.exact else None

    def _job(self, benchmark: str | None, data: Path | None) -> Job:
        """Open the benchmark and the submission, and resolve what was asked for."""
        if self.offline:
            os.environ["HF_HUB_OFFLINE"] = os.environ[OFFLINE] = "1"
        return build_job(
            self.videos,
            benchmark=benchmark,
            data=data,
            protocol=self.protocol,
            instruments=self.instruments,
            use=self.use or (),
            weights=self.weights or (),
            metrics=self.metrics,
            cases=self.case,
            where=parse_tags(self.where or ()),
            includes=self.include or (),
            store=self.store,
            out=self.out,
            workers=self.workers,
            shard=parse_shard(self.shard),
            sample=self.sample,
            sample_seed=self.sample_seed,
            device=self.device,
            reference=self.reference,
            prompts=self.prompts,
            cameras=self.cameras,
            moved=self.moved,
            break_lock=self.break_lock,
            time_limit=self.time_limit,
            max_memory=self.max_memory,
            gpu_memory=self.gpu_memory,
            numerics=self._numerics(),
            judge=self.judge,
            judge_takes=self.judge_takes,
            judge_batch=self.judge_batch,
            max_cost=self.max_cost,
            max_calls=self.max_calls,
            send_to=self.send_to or (),
            judge_prompts=self.prompt or (),
            authors=self.authors or (),
            own_process=True,
            arguments=sys.argv[1:],
        )


def _benchmark_here(name: str) -> str:
    """A benchmark's name, or its folder, copied to this machine where it lies elsewhere."""
    return str(local_files(name)) if is_url(name) else name


def _folder_of(job: Job) -> str:
    return job.setup.namespace or job.benchmark.file.name


def takes_job_flags(verb: Callable[..., None]) -> Callable[..., None]:
    """Let a verb whose first argument is `flags: JobFlags` take every one of those flags on the command line."""
    hints = get_type_hints(JobFlags, include_extras=True)
    kind = inspect.Parameter.KEYWORD_ONLY
    shared = [
        inspect.Parameter(
            f.name, kind, annotation=hints[f.name], default=inspect.Parameter.empty if f.name == "videos" else f.default
        )
        for f in fields(JobFlags)
    ]
    own_hints = get_type_hints(verb, include_extras=True)
    own = [
        p.replace(kind=kind, annotation=own_hints[p.name])
        for p in list(inspect.signature(verb).parameters.values())[1:]
    ]

    @wraps(verb)
    def with_flags(**given: Any) -> None:
        flags = JobFlags(**{p.name: given.pop(p.name) for p in shared})
        verb(flags, **given)

    parameters = [*shared, *own]
    with_flags.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_flags.__annotations__ = {p.name: p.annotation for p in parameters}
    del with_flags.__wrapped__
    return with_flags
