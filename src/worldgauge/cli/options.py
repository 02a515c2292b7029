"""Flags that several verbs share, and the objects they make."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from worldgauge.core.benchmark import Benchmark, MetricUse, load_benchmark
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import include
from worldgauge.core.submission import Submission
from worldgauge.engine.job import Job, Setup, choose_metrics, parse_shard
from worldgauge.verbs import StorePath, Where, default_store, parse_tags

Videos = Annotated[Path, typer.Argument(help="A submission.json, or a folder of videos.", show_default=False)]
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
    str, typer.Option("--instruments", envvar="WORLDGAUGE_INSTRUMENTS", help="Instrument set: pocket or reference.")
]
Use = Annotated[
    list[str] | None,
    typer.Option("--use", envvar="WORLDGAUGE_USE", help="Another instrument for a seat: flow=dis:preset=fast."),
]
Include = Annotated[
    list[Path] | None,
    typer.Option(
        "--include", envvar="WORLDGAUGE_INCLUDE", help="Python file with definitions, or a benchmark's folder."
    ),
]
Out = Annotated[Path | None, typer.Option("--out", "-o", envvar="WORLDGAUGE_OUT", help="Run folder; else under runs/.")]
Workers = Annotated[
    int, typer.Option("--workers", "-w", min=0, envvar="WORLDGAUGE_WORKERS", help="Processes; 0: one per core.")
]
Shard = Annotated[str, typer.Option("--shard", envvar="WORLDGAUGE_SHARD", help="Only part i of n, as i/n.")]
Offline = Annotated[
    bool, typer.Option("--offline", envvar="WORLDGAUGE_OFFLINE", help="Refuse the network; only local weights.")
]
Device = Annotated[str, typer.Option("--device", envvar="WORLDGAUGE_DEVICE", help="cpu, cuda or cuda:N, for networks.")]
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


@dataclass(frozen=True)
class JobFlags:
    """The flags of run, plan and score; each field is one flag."""

    videos: Videos
    benchmark: BenchmarkName = None
    data: Data = None
    metrics: Metrics = None
    case: Cases = None
    where: Where = None
    protocol: ProtocolName = None
    instruments: InstrumentSet = "pocket"
    use: Use = None
    include: Include = None
    store: StorePath = None
    out: Out = None
    workers: Workers = 0
    shard: Shard = "1/1"
    offline: Offline = False
    device: Device = "cpu"
    reference: References = None
    prompts: Prompts = None
    cameras: Cameras = None

    def job(self) -> Job:
        """Open the benchmark and the submission, and resolve what was asked for."""
        if self.offline:
            os.environ["HF_HUB_OFFLINE"] = "1"
        for path in self.include or ():
            include(path)
        benchmark, submission = self.open()
        protocol = benchmark.file.check_protocol(self.protocol or benchmark.file.protocols[0])
        wanted = [name.strip() for name in (self.metrics or "").split(",") if name.strip()]
        uses = choose_metrics(self._uses(benchmark, protocol), wanted, benchmark.file.namespace, protocol)
        if not uses:
            raise WorldGaugeError(f"benchmark '{benchmark.file.name}' uses no metric", "name some with --metrics")
        shard = parse_shard(self.shard)
        setup = Setup(
            metrics=uses,
            instrument_set=self.instruments,
            overrides=tuple(self.use or ()),
            includes=tuple(path.resolve() for path in self.include or ()),
            store=self.store or default_store(),
            out=self.out or default_out(benchmark, submission),
            device=self.device,
            record_prefix="" if shard == (1, 1) else f"{shard[0]}of{shard[1]}-",
        )
        return Job(
            benchmark=benchmark,
            submission=submission,
            setup=setup,
            protocol=protocol,
            only_cases=chosen_cases(benchmark, self.case or (), parse_tags(self.where or ())),
            shard=shard,
            workers=self.workers or os.cpu_count() or 1,
            arguments=tuple(sys.argv[1:]),
        )

    def open(self) -> tuple[Benchmark, Submission]:
        """The benchmark and the submission; own videos are a benchmark of themselves."""
        if not self.videos.exists():
            raise WorldGaugeError(f"{self.videos} does not exist", "name a submission.json or a folder of videos")
        if self.benchmark is None:
            from worldgauge.engine.custom import videos_benchmark

            return videos_benchmark(self.videos, self.reference, self.prompts, self.cameras)
        benchmark = load_benchmark(self.benchmark, self.data)
        return benchmark, benchmark.submission(self.videos)

    def _uses(self, benchmark: Benchmark, protocol: str) -> list[MetricUse]:
        if benchmark.file.metrics:
            return benchmark.metrics(protocol)
        from worldgauge.engine.custom import possible_metrics

        return [MetricUse(id=name, use=name) for name in possible_metrics(benchmark)]


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


def chosen_cases(benchmark: Benchmark, named: Iterable[str], tags: Mapping[str, str]) -> tuple[str, ...]:
    """Ids of the named cases that have the tags; nothing asked for: no ids, which means every case."""
    if not tags:
        return tuple(named)
    fitting = [c.id for c in benchmark.cases if all(c.tags.get(tag) == value for tag, value in tags.items())]
    wanted = set(named)
    chosen = tuple(case for case in fitting if not wanted or case in wanted)
    if not chosen:
        known = sorted({f"{tag}={value}" for case in benchmark.cases for tag, value in case.tags.items()})
        asked = ", ".join(f"{tag}={value}" for tag, value in tags.items())
        more = " ..." if len(known) > 20 else ""
        raise WorldGaugeError(f"no case has {asked}", f"tags: {', '.join(known[:20])}{more}")
    return chosen


def default_out(benchmark: Benchmark, submission: Submission) -> Path:
    """`runs/<benchmark>/<model>`, with names made safe for a file system."""
    return Path("runs") / _safe(benchmark.file.name) / _safe(submission.model.name)


def _safe(name: str) -> str:
    cleaned = "".join(c if c.isalnum() or c in "-_." else "-" for c in name).strip(".-")
    return cleaned or "unnamed"
