"""Runs of a made-up benchmark with a judged column and one that is not, for tables and pages."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from worldgauge.core.benchmark import BenchmarkFile
from worldgauge.core.case import Case
from worldgauge.core.evidence import Evidence, Interview, Told
from worldgauge.core.record import Record
from worldgauge.core.run_file import DefinitionFile, RunFile
from worldgauge.core.run_folder import Run
from worldgauge.core.sources import Source, write_sources
from worldgauge.core.status import Status
from worldgauge.core.submission import ModelCard, Submission
from worldgauge.core.video import Video
from worldgauge.media.encoder import write_video

SHARES = {"Aurora": (1.0, 0.5, 0.75, None), "Borealis": (0.25, 0.5, 0.5, 0.25)}
"""Model to the share of four questions that pass, in four cases; the judge gave Aurora no answer in the last."""
YES = (0.25, 0.5, 0.5, 0.75)
"""Of the questions of each case, how many want yes."""
JUDGE = {"name": "judge", "version": 1, "parameters": {"model": "m-1", "seed": 0}, "prompts": {"p": "0" * 64}}


def benchmark() -> BenchmarkFile:
    metrics = [{"id": "answers", "title": "Answers", "scale": {"from": [0, 1]}}, {"id": "sharpness"}]
    return BenchmarkFile.model_validate({"name": "asked", "title": "Asked", "metric": metrics})


def definitions() -> list[DefinitionFile]:
    plain = {"version": 1, "of": "video", "parameters": {}, "needs": [], "frames": {}}
    asked = {**plain, "signal": "told", "instrument": JUDGE}
    seen = {**plain, "signal": "seen"}
    common = {"version": 1, "unit": "", "higher_is_better": True, "bounds": (0.0, 1.0)}
    scale = benchmark().metrics[0].scale
    return [
        DefinitionFile(id="answers", fingerprint="a" * 12, metric="m", scale=scale, signals=[asked], **common),
        DefinitionFile(id="sharpness", fingerprint="b" * 12, metric="s", signals=[seen], **common),
    ]


def write_judged_run(folder: Path, model: str) -> Path:
    folder.mkdir(parents=True)
    RunFile(
        benchmark=benchmark(),
        protocol="paper",
        instruments={"judge": "judge"},
        model=ModelCard(name=model),
        cases=4,
        definitions=definitions(),
    ).write(folder)
    lines = []
    for number, share in enumerate(SHARES[model]):
        common = {"case": f"case-{number}", "cluster": f"scene-{number}", "inputs": "0" * 16, "video": "0" * 64}
        if share is None:
            judged = Record(**common, metric="answers", fingerprint="a" * 12, status=Status.UNSCORED, reason="refused")
        else:
            yes = 100 * YES[number]
            judged = Record(
                **common,
                metric="answers",
                fingerprint="a" * 12,
                status=Status.OK,
                value=100 * share,
                raw=share,
                constants={"always yes": yes, "always no": 100 - yes, "coin": 50.0},
                repeats=[100 * share - 5, 100 * share + 5] if model == "Aurora" else [100 * share] * 2,
            )
        seen = Record(**common, metric="sharpness", fingerprint="b" * 12, status=Status.OK, value=0.5, raw=0.5)
        lines += [one.model_dump_json(by_alias=True, exclude_defaults=True) + "\n" for one in (judged, seen)]
    (folder / "records-0.jsonl").write_text("".join(lines), "utf-8")
    return folder


def add_clips(folders: list[Path], root: Path) -> None:
    """A clip of ten frames for every case, the same for every model."""
    root.mkdir()
    cases = [Case(id=f"case-{number}", cluster=f"scene-{number}") for number in range(4)]
    frames = [np.full((48, 64, 3), (25 * f, 90, 200 - 20 * f), np.uint8) for f in range(10)]
    write_video(root / "clip.mp4", frames, 8, crf=20)
    for folder in folders:
        videos = {case.id: Video(root / "clip.mp4") for case in cases}
        write_sources(folder, [case.at(root) for case in cases], Submission(ModelCard(name=folder.name), videos))


def made_evidence(run: Run, source: Source) -> Evidence:
    """Two takes that disagree on the second question; the first is answered against what is wanted."""
    if run.name == "Borealis":
        return Evidence(interviews=(Interview("", (), raw=("I am sorry.",), problem="3 attempts, none read"),))
    first = Told("Does the duck come back?", "no", "it is gone", wanted="yes", about="memory")
    second = Told("Does it melt?", "no", "it is whole", wanted="no", about="physics")
    other = Told("Does it melt?", "yes", "it drips", wanted="no", about="physics")
    return Evidence(
        interviews=(
            Interview("m-1", (first, second), frames=(0, 4, 9), raw=('{"answers": 1}',)),
            Interview("m-1", (first, other), frames=(0, 4, 9), raw=("prose", '{"answers": 2}'), take=1),
        )
    )
