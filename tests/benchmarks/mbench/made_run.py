"""Runs over made trees of both settings: tiny videos, the pocket set, the scripted judge."""

from __future__ import annotations

import json
from pathlib import Path

import helpers
from benchmarks.mbench.released_tree import add_sample, write_rows
from worldgauge.api.building import build_job
from worldgauge.core.run_folder import Run
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute
from worldgauge.media.encoder import write_video

SCRIPT = Path(__file__).with_name("scripted_judge.py")


def made_world(folder: Path, setting: str = "T", worlds: int = 8, frames: int = 10) -> tuple[Path, Path]:
    """A data set of `worlds` causal samples, and a model's videos of all of them, as long as is required: 25 s."""
    data = folder / f"MBench-{setting}"
    data.mkdir(parents=True)
    (data / "dataset.yaml").write_text(f"dataset_id: mbench{setting.lower()}\n")
    rows = []
    for number in range(worlds):
        sample = f"causal_{number:04d}" + ("_camera" if setting == "T" else "")
        captions = [f"World {number}, paragraph {k}." for k in range(5)]
        add_sample(data, "causal", sample, metadata={"captions": captions})
        condition = "text" if setting == "T" else ("left_then_right", "right_then_left")[number % 2]
        rows.append({"item_id": f"causal:{sample}:{condition}"})
        place = folder / "model" / "outputs" / "causal" / sample / condition
        place.mkdir(parents=True)
        write_video(place / "video.mp4", helpers.moving_texture(frames, seed=number), fps=frames / 25)
    write_rows(data / "mapping.jsonl", rows)
    return data, folder / "model"


def run_of(folder: Path, data: Path, model: Path, columns: str, protocol: str = "paper", judge: str = "answer") -> Run:
    out = folder / f"run-{protocol}-{judge}"
    job = build_job(
        model, benchmark="mbench", data=data, protocol=protocol, metrics=columns, out=out, store=folder / "store",
        judge=f"scripted:{SCRIPT}:{judge}",
    )  # fmt: skip
    execute(job, make_plan(job))
    return Run(out)


def lines(run: Run) -> dict[tuple[str, str], dict]:
    return {(line["metric"], line["case"]): line for line in helpers.records(run.folder)}


def content(file: Path) -> dict:
    return json.loads(file.read_text())
