"""Runs of all columns over gauge blocks as cases of both settings, through the official instruments."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from worldgauge.api.building import build_job
from worldgauge.benchmarks.mbench.data.case_parts import CAPTIONS
from worldgauge.benchmarks.mbench.on_blocks.cases import pose_blocks
from worldgauge.blocks import Block
from worldgauge.blocks.write import make_cases
from worldgauge.core.benchmark import Benchmark, read_benchmark_file
from worldgauge.core.case import Case
from worldgauge.core.run_folder import Run
from worldgauge.core.submission import ModelCard, Submission
from worldgauge.core.video import Video
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute
from worldgauge.media.encoder import write_video

SIZE = (128, 72)
SCRIPT = Path(__file__).with_name("block_judge.py")
FASTER = (
    "style_steps=vgg19:shorter=32,batch=4",
    "style_early_late=vgg19:shorter=32,batch=4",
)
"""The official ones in a smaller size: VGG19 at its own would take a processor ten seconds a clip."""


def made_blocks(
    folder: Path, blocks: int, frames: int, longer: Collection[int] = ()
) -> tuple[list[Case], dict[str, Video]]:
    """Eight cases of each block, numbered in their captions, and a clip for every one of them.

    No two clips are alike: each is its block's, a little brighter by its number. Those named in `longer` have a frame
    more.
    """
    made = make_cases(
        folder, [Block(seed, "room", "away_left", "rolling", SIZE, frames, fps=16) for seed in range(blocks)]
    )
    cases, videos = [], {}
    for number, case in enumerate(pose_blocks(made)):
        captions = [f"World {number}, part {k}: {text}" for k, text in enumerate(case.extras[CAPTIONS], start=1)]
        cases.append(case.model_copy(update={"extras": {**case.extras, CAPTIONS: captions}}))
        assert case.reference.video is not None
        shown = np.stack([frame for _, frame in Video(case.path(case.reference.video)).decode(range(frames))])
        brighter = np.clip(shown.astype(np.int16) + number, 0, 255).astype(np.uint8)
        if number in longer:
            brighter = np.concatenate([brighter, brighter[-1:]])
        file = folder / "model" / f"{number:02d}.mp4"
        file.parent.mkdir(exist_ok=True)
        write_video(file, brighter, fps=16)
        videos[case.id] = Video(file)
    return cases, videos


def run_over(folder: Path, cases: Sequence[Case], videos: dict[str, Video], **flags: Any) -> Run:
    """Everything the benchmark has, through its official instruments."""
    opened = Benchmark(read_benchmark_file("mbench"), list(cases))
    job = build_job(
        Submission(ModelCard(name="blocks"), videos),
        benchmark=opened,
        out=folder / "run",
        store=folder / "store",
        device="cpu",
        judge=f"scripted:{SCRIPT}:answer",
        use=[*FASTER, *flags.pop("use", ())],
        **flags,
    )
    execute(job, make_plan(job))
    return Run(folder / "run")
