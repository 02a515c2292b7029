"""Flags that several verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from worldgauge.core.asking import OFFLINE
from worldgauge.core.instrument import filled_sets
from worldgauge.engine.limits import MOST_WORKERS
from worldgauge.engine.local_copies import local_files
from worldgauge.engine.run_places import run_at

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
    str | None,
    typer.Option(
        "--metrics",
        "-m",
        envvar="WORLDGAUGE_METRICS",
        help="Names with commas between; one that no case can have a value of is an error.",
    ),
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
        "--workers",
        "-w",
        min=0,
        max=MOST_WORKERS,
        envvar="WORLDGAUGE_WORKERS",
        help="Processes; 0: one per core, or some for each GPU.",
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
Authors = Annotated[
    list[Path] | None,
    typer.Option(
        "--authors",
        envvar="WORLDGAUGE_AUTHORS",
        help="A checkout of the benchmark's released code, whose own texts are put to the judge; repeatable.",
        show_default=False,
    ),
]
Why = Annotated[
    bool, typer.Option("--why", envvar="WORLDGAUGE_WHY", help="List what cannot be computed, each with the reason.")
]

Strict = Annotated[
    bool,
    typer.Option("--strict", envvar="WORLDGAUGE_STRICT", help="Exit with 1 unless all is scored, or skipped."),
]
