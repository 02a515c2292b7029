"""Flags that several verbs share, and the objects they make."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from worldgauge.api.building import build_job
from worldgauge.core.asking import OFFLINE
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.instrument import filled_sets
from worldgauge.engine.job import Job, parse_shard
from worldgauge.engine.local_copies import local_files
from worldgauge.engine.places import is_url
from worldgauge.engine.run_places import folder_below, run_at
from worldgauge.engine.seats import Numerics
from worldgauge.verbs import JudgeName, MaxCalls, MaxCost, SendTo, StorePath, Where, parse_tags

Videos = Annotated[
    Path,
    typer.Argument(
        help="A video, a folder of videos, or a submission.json; also by URL, such as s3://bucket/videos.",
        parser=local_files,
        metavar="VIDEOS",
        show_default=False,
    ),
]
BenchmarkName = Annotated[
    str | None,
    typer.Option(
        "--benchmark",
        "-b",
        envvar="WORLDGAUGE_BENCHMARK",
        help="Name, or a folder with cases.jsonl. None: your videos.",
    ),
]
Data = Annotated[
    Path | None, typer.Option("--data", envvar="WORLDGAUGE_DATA", help="Folder of the benchmark's data set.")
]
BenchmarkNames = Annotated[
    list[str] | None,
    typer.Option(
        "--benchmark",
        "-b",
        envvar="WORLDGAUGE_BENCHMARK",
        help="Name, or a folder with cases.jsonl; repeatable. None: your videos.",
    ),
]
DataFolders = Annotated[
    list[Path] | None,
    typer.Option(
        "--data",
        envvar="WORLDGAUGE_DATA",
        parser=local_files,
        metavar="FOLDER|URL",
        help="Folder of the benchmark's data set; one for each.",
    ),
]
Metrics = Annotated[
    str | None, typer.Option("--metrics", "-m", envvar="WORLDGAUGE_METRICS", help="Names with commas between.")
]
Cases = Annotated[
    list[str] | None, typer.Option("--case", envvar="WORLDGAUGE_CASE", help="Only this case; repeatable.")
]
ProtocolName = Annotated[
    str | None,
    typer.Option(
        "--protocol", envvar="WORLDGAUGE_PROTOCOL", help="One of the benchmark's, such as released; else its first."
    ),
]
InstrumentSet = Annotated[
    str,
    typer.Option(
        "--instruments",
        envvar="WORLDGAUGE_INSTRUMENTS",
        help=f"Instrument set: auto (the official ones, else embedded), {' or '.join(filled_sets())}.",
    ),
]
Use = Annotated[
    list[str] | None,
    typer.Option(
        "--use", envvar="WORLDGAUGE_USE", help="Another instrument for a seat or a signal: flow=dis:preset=fast."
    ),
]
WeightsPlaces = Annotated[
    list[str] | None,
    typer.Option(
        "--weights", envvar="WORLDGAUGE_WEIGHTS", help="A file of weights as ID=PATH, or a folder of them; repeatable."
    ),
]
Include = Annotated[
    list[Path] | None,
    typer.Option(
        "--include", envvar="WORLDGAUGE_INCLUDE", help="Python file with definitions, or a benchmark's folder."
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        envvar="WORLDGAUGE_OUT",
        parser=run_at,
        metavar="FOLDER|URL",
        help="Run folder; else under runs/.",
    ),
]
Workers = Annotated[
    int,
    typer.Option(
        "--workers", "-w", min=0, envvar="WORLDGAUGE_WORKERS", help="Processes; 0: one per core, or some for each GPU."
    ),
]
Shard = Annotated[str, typer.Option("--shard", envvar="WORLDGAUGE_SHARD", help="Only part i of n, as i/n.")]
Sample = Annotated[
    float | None,
    typer.Option("--sample", envvar="WORLDGAUGE_SAMPLE", help="Only this share of the cases, every kind alike: 0.1."),
]
SampleSeed = Annotated[int, typer.Option("--sample-seed", envvar="WORLDGAUGE_SAMPLE_SEED", help="Which sample.")]
Offline = Annotated[
    bool, typer.Option("--offline", envvar=OFFLINE, help="Refuse the network; only local weights and judges.")
]
Device = Annotated[
    str, typer.Option("--device", envvar="WORLDGAUGE_DEVICE", help="auto, cpu, cuda, cuda:N or mps, for networks.")
]
References = Annotated[
    Path | None,
    typer.Option("--reference", envvar="WORLDGAUGE_REFERENCE", help="Own videos: folder of reference videos."),
]
Prompts = Annotated[
    Path | None, typer.Option("--prompts", envvar="WORLDGAUGE_PROMPTS", help="Own videos: json, csv or txt of prompts.")
]
Cameras = Annotated[
    Path | None, typer.Option("--cameras", envvar="WORLDGAUGE_CAMERAS", help="Own videos: folder of camera npz or npy.")
]
Moved = Annotated[
    bool, typer.Option("--moved", envvar="WORLDGAUGE_MOVED", help="The run folder's videos now lie in another place.")
]
BreakLock = Annotated[
    bool,
    typer.Option("--break-lock", envvar="WORLDGAUGE_BREAK_LOCK", help="Write although another machine left its lock."),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        envvar="WORLDGAUGE_TIME_LIMIT",
        help="Seconds one metric or signal may take on one case; else 600 and 10 for each frame.",
    ),
]
MaxMemory = Annotated[
    str | None,
    typer.Option(
        "--max-memory",
        envvar="WORLDGAUGE_MAX_MEMORY",
        help="Memory one worker may take: 8GB; else its share of four fifths of the machine's.",
    ),
]
GpuMemory = Annotated[
    str | None,
    typer.Option(
        "--gpu-memory",
        envvar="WORLDGAUGE_GPU_MEMORY",
        help="Memory for networks in one pass over the clips: 20GB; else what is free.",
    ),
]
Fast = Annotated[
    bool,
    typer.Option(
        "--fast", envvar="WORLDGAUGE_FAST", help="Networks on a GPU in faster numbers; the default beside 'released'."
    ),
]
Exact = Annotated[
    bool,
    typer.Option(
        "--exact",
        envvar="WORLDGAUGE_EXACT",
        help="Networks so that nothing asked beside changes a bit; their stored values only from this kind of device.",
    ),
]
JudgeTakes = Annotated[
    int | None,
    typer.Option(
        "--judge-takes", min=1, max=64, envvar="WORLDGAUGE_JUDGE_TAKES", help="How often each judge is asked."
    ),
]
JudgeBatch = Annotated[
    bool,
    typer.Option(
        "--judge-batch", envvar="WORLDGAUGE_JUDGE_BATCH", help="Ask by the provider's batch endpoint: later, for less."
    ),
]
Prompt = Annotated[
    list[str] | None,
    typer.Option("--prompt", envvar="WORLDGAUGE_PROMPT", help="Your own prompt file, as NAME=FILE; repeatable."),
]
Why = Annotated[
    bool, typer.Option("--why", envvar="WORLDGAUGE_WHY", help="List what cannot be computed, each with the reason.")
]

Strict = Annotated[
    bool,
    typer.Option("--strict", envvar="WORLDGAUGE_STRICT", help="Exit with 1 unless all is scored, or skipped."),
]


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
