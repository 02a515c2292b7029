"""A small run folder as this version writes it: the soil from which damaged ones grow."""

from __future__ import annotations

from pathlib import Path

from worldgauge.core.benchmark import BenchmarkFile
from worldgauge.core.case import Case
from worldgauge.core.contents import Contents
from worldgauge.core.record import Record
from worldgauge.core.run_file import DefinitionFile, RunFile
from worldgauge.core.sources import write_sources
from worldgauge.core.status import Status
from worldgauge.core.submission import ModelCard, Submission
from worldgauge.core.video import Video

RECORDS = "records-0.jsonl"


def write_run(folder: Path) -> dict[str, bytes]:
    """Write it; its files by name."""
    run = RunFile(
        benchmark=BenchmarkFile(name="b"),
        protocol="plain",
        instruments={"flow": "dis"},
        model=ModelCard(name="m"),
        cases=1,
        definitions=[
            DefinitionFile(
                id="psnr", fingerprint="f", metric="psnr", version=1, unit="dB", higher_is_better=True, bounds=(0, 99)
            )
        ],
    )
    run.write(folder)
    Contents(run.identity, {("a", 0): {"video": "v"}}).write(folder)
    record = Record(
        case="a",
        cluster="a",
        metric="psnr",
        fingerprint="f",
        inputs="i",
        video="v",
        status=Status.OK,
        value=1.0,
        raw=1.0,
    )
    (folder / RECORDS).write_text(record.model_dump_json(by_alias=True) + "\n", "utf-8")
    write_sources(folder, [Case(id="a")], Submission(ModelCard(name="m"), {"a": Video(folder / "a.mp4")}))
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if not file.name.startswith(".")}
