"""Camera control on subjects whose camera is known: true, standing still, upside down, mirrored.

python -m worldgauge.benchmarks.memobench.bench.house_camera FOLDER [FIRST_SEED] [WORLDS]

About two minutes of processor time per world; what is in FOLDER already is not made again.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from worldgauge.benchmarks.memobench.analyses.taxonomy_check import draw_blocks
from worldgauge.blocks.block import Block
from worldgauge.blocks.subjects import ORACLE, Subject, clip_path, make_subjects, reference_frames
from worldgauge.blocks.write import make_cases
from worldgauge.core.benchmark import read_benchmark_file, resolved_uses
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.video import Video
from worldgauge.engine.definitions import choose_seats, resolve
from worldgauge.engine.evaluate import evaluate
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.perception import Loaded, Perception
from worldgauge.engine.store import Store

COLUMNS = ("CameraControllability", "house_camera_control")
FLIPPED = {"upside down": (-1, 1), "turned by half": (-1, -1), "mirrored": (1, -1)}


def measure(block: Block, folder: Path) -> Iterator[tuple[str, str, float | None]]:
    """Subject, column and score; None where there is none."""
    (case,) = make_cases(folder / "worlds", [block])
    seats = choose_seats("pocket")
    instruments, store = Loaded(seats, "cpu"), Store(folder / "store")
    uses = [use for use in resolved_uses(read_benchmark_file("memobench"), "released") if use.id in COLUMNS]
    for name, video in _videos(case, folder):
        inputs = CaseInputs(case, video)
        perception = Perception(inputs, seats, store, instruments)
        for definition in resolve(uses, seats):
            yield name, definition.id, evaluate(definition, inputs, perception).value


def _videos(case: Case, folder: Path) -> Iterator[tuple[str, Video]]:
    subjects = [Subject(), Subject("frozen_camera", 1.0), Subject("camera_drift", 1.0)]
    folders = make_subjects([case], subjects, folder / "subjects")
    for subject in subjects:
        name = "oracle" if subject.fault == ORACLE else subject.fault.replace("_", " ")
        yield name, Video(clip_path(folders[subject.name], case))
    truth, fps = reference_frames(case), case.condition.fps or 16.0
    for name, (rows, columns) in FLIPPED.items():
        yield name, Video.from_array(truth[:, ::rows, ::columns], layout="THWC", fps=fps)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("first_seed", type=int, nargs="?", default=5000)
    parser.add_argument("worlds", type=int, nargs="?", default=10)
    asked = parser.parse_args()
    scores: dict[tuple[str, str], list[float]] = {}
    for block in draw_blocks(asked.first_seed, asked.worlds):
        try:
            for name, column, value in measure(block, asked.folder):
                scores.setdefault((name, column), []).extend([] if value is None else [value])
        except WorldGaugeError as error:
            print(f"left out: {error}", flush=True)
    for (name, column), values in scores.items():
        spread = f"{np.mean(values):.1f} (most {max(values):.1f}, {len(values)} clips)" if values else "-"
        print(f"{name:15} {column:22} {spread}")


if __name__ == "__main__":
    main()
