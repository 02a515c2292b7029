"""Submissions that show nothing of the world, scored beside a mediocre honest one.

python -m worldgauge.benchmarks.pocket.bench.worthless FOLDER [--workers 2]

Whole clips of black frames, of the given frame over and over, and of noise; half of the frames ghosted or looped. The
most that each total can be must be less than the least that the total of a camera that drifts half way can be. About
ten minutes of processor time; the same command goes on after a stop.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np

from worldgauge.benchmarks.pocket.demo import Demo
from worldgauge.blocks.faults.base import Frames
from worldgauge.blocks.subjects import Subject, clip_path, make_subjects, reference_frames
from worldgauge.core.benchmark import Benchmark
from worldgauge.core.submission import FILE_NAME, ModelCard, Submission
from worldgauge.core.video import Video
from worldgauge.report.summary import Score
from worldgauge.report.tables import Table, to_markdown

HONEST = Subject("camera_drift", 0.5)
HALVES = (Subject("ghosting", 1.0), Subject("loop", 1.0))
"""Half of the frames at full severity."""
TOTAL = "overall"


def _noise(frames: Frames) -> Frames:
    return np.random.default_rng(0).integers(0, 256, frames.shape, np.uint8)


WHOLE: dict[str, Callable[[Frames], Frames]] = {
    "black": np.zeros_like,
    "repeated": lambda frames: np.repeat(frames[:1], len(frames), axis=0),
    "noise": _noise,
}


def make_submissions(demo: Demo, benchmark: Benchmark, workers: int) -> list[Path]:
    """The honest one first."""
    subjects = make_subjects(benchmark.cases, (HONEST, *HALVES), demo.subjects, workers)
    return [*subjects.values(), *(_write(name, benchmark, demo.subjects / name) for name in WHOLE)]


def _write(name: str, benchmark: Benchmark, folder: Path) -> Path:
    from worldgauge.media.encoder import write_video

    videos = {}
    for case in benchmark.cases:
        path = clip_path(folder, case)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_name(f".partial-{path.name}")
            write_video(partial, WHOLE[name](reference_frames(case)), case.condition.fps or 16.0)
            partial.replace(path)
        videos[case.id] = Video(path)
    Submission(ModelCard(name=name), videos).write(folder / FILE_NAME)
    return folder


def ends(score: Score) -> tuple[float, float]:
    """The least and the most that a score can be."""
    low, high = score.bounds or (score.value, score.value)
    return (-np.inf if low is None else low), (np.inf if high is None else high)


def compare(table: Table) -> list[str]:
    """One line per worthless submission: whether it is surely below the honest one."""
    totals = {row.model: ends(row.scores[TOTAL]) for row in table.rows}
    least = totals[HONEST.name][0]
    return [
        f"{'ok  ' if most < least else 'MISS'} {model}: at most {most:.1f}, {HONEST.name} at least {least:.1f}"
        for model, (_, most) in totals.items()
        if model != HONEST.name
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workers", type=int, default=1)
    asked = parser.parse_args()
    demo = Demo(asked.folder)

    def progress(step: str, done: int, total: int) -> None:
        if done in (0, total) or done % 10 == 0:
            print(f"{step}: {done} of {total}", flush=True)

    benchmark = demo.make_benchmark(asked.workers, progress)
    table = demo.score(benchmark, make_submissions(demo, benchmark, asked.workers), asked.workers, progress)
    print(to_markdown(table))
    for line in compare(table):
        print(line)


if __name__ == "__main__":
    main()
