"""What one bad frame in twenty changes in every column of the pocket benchmark, in points.

python -m worldgauge.benchmarks.pocket.bench.bad_frames FOLDER [--worlds 24] [--first-seed 96000] [--draws 2]
    [--frames 81] [--size 432 240] [--workers 1]

Worlds whose target comes back; every other clip is the oracle, the others have one fault each, dealt from all of them.
In each draw other frames turn black or flash. Ten seconds of processor time per draw; what is in FOLDER already is
kept, unless a definition has changed since.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import cycle
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks.block import Block
from worldgauge.blocks.choose import Choice, choose_blocks
from worldgauge.blocks.faults import FAULTS
from worldgauge.blocks.faults.base import Frames
from worldgauge.blocks.subjects import Subject, clip_path, make_subjects
from worldgauge.blocks.write import case_id, make_cases
from worldgauge.core.benchmark import MetricUse, read_benchmark_file, resolved_uses
from worldgauge.core.case import Case
from worldgauge.core.reading import read_json
from worldgauge.core.record import Record
from worldgauge.core.video import Video
from worldgauge.engine.definitions import choose_seats, resolve
from worldgauge.engine.evaluate import evaluate
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.perception import Loaded, Perception
from worldgauge.engine.store import Store
from worldgauge.engine.surroundings import one_blas_thread, one_opencv_thread

SHARE = 1 / 20
POINTS = 2.0
"""By which a column that is not about these frames may move."""
ABOUT_FRAMES = {
    "return_fidelity": "a black frame is a wrong picture",
    "stability": "a point that goes dark does not keep its colour",
    "exposure": "a flash is a jump of brightness",
    "sharpness": "a black frame is not sharp",
}
"""Columns that bad frames must cost something, and why."""
FPS = 16.0
SUBJECTS = tuple(Subject(name, 0.25 if name == "hand_shake" else 0.5) for name in FAULTS if name != "flash")
"""Faults that leave the clip its frames; at half severity a hand shakes so much that it can get no worse."""
Row = dict[str, Any]


def columns() -> list[MetricUse]:
    """The pocket benchmark's columns, on their scales of 0 to 100."""
    file = read_benchmark_file("pocket")
    return resolved_uses(file, file.protocols[0])


def spoilt(frames: Frames, seed: int) -> tuple[Frames, list[int]]:
    """One frame in twenty, never the first or the last, black and white in turn; and which ones."""
    count = round(len(frames) * SHARE)
    drawn: NDArray[np.int64] = np.random.default_rng(seed).choice(np.arange(1, len(frames) - 1), count, replace=False)
    at = sorted(drawn.tolist())
    changed = frames.copy()
    for k, frame in enumerate(at):
        changed[frame] = 0 if k % 2 == 0 else 255 - (255 - frames[frame]) // 4
    return changed, at


def records(uses: Sequence[MetricUse], case: Case, frames: Frames, folder: Path) -> dict[str, Record]:
    """What the columns say about frames that somebody made of a case."""
    seats = choose_seats("pocket")
    inputs = CaseInputs(case, Video.from_array(frames, layout="THWC", fps=case.condition.fps or FPS))
    perception = Perception(inputs, seats, Store(folder), Loaded(seats, "cpu"))
    return {d.id: evaluate(d, inputs, perception) for d in resolve(list(uses), seats)}


def measure(block: Block, subject: Subject, draws: int, folder: Path) -> Row:
    """Every column's points on a clip and in each draw of bad frames; kept in `folder`."""
    file = folder / f"{case_id(block)}-{subject.name}-{block.frames}-{block.size[0]}-{draws}.json"
    made_by = {d.id: d.fingerprint for d in resolve(columns(), choose_seats("pocket"))}
    known: Row = read_json(file) if file.exists() else {}
    if known.get("definitions") == made_by:
        return known
    (case,) = make_cases(folder / "worlds" / case_id(block), [block])
    made = make_subjects([case], [subject], folder / "subjects" / case.id)
    frames = np.stack(list(Video(clip_path(made[subject.name], case)).frames()))
    store = folder / "store" / case.id
    whole = records(columns(), case, frames, store / "whole")
    row: Row = {
        "definitions": made_by,
        "clip": f"{case.id} {subject.name}",
        "whole": {name: r.value for name, r in whole.items()},
        "draws": [],
    }
    for draw in range(draws):
        changed, at = spoilt(frames, 1000 * draw + block.seed)
        hurt = records(columns(), case, changed, store / str(draw))
        row["draws"].append({"at": at, "hurt": {name: r.value for name, r in hurt.items()}})
    file.write_text(json.dumps(row, indent=1) + "\n", "utf-8")
    return row


def lines_of(rows: Sequence[Row]) -> Iterator[str]:
    """Each draw in which a column moves too far; then for each column how many do not, and how its mean moves."""
    kept: dict[str, list[bool]] = {}
    moves: dict[str, list[float]] = {}
    whole_draws = []
    for row in rows:
        for draw in row["draws"]:
            moved = []
            for name, points in row["whole"].items():
                if name in ABOUT_FRAMES or points is None:
                    continue
                after = draw["hurt"][name]
                kept.setdefault(name, []).append(after is not None and abs(after - points) <= POINTS)
                if after is not None:
                    moves.setdefault(name, []).append(after - points)
                if not kept[name][-1]:
                    moved.append(f"{name} {points:.1f} to {'no score' if after is None else f'{after:.1f}'}")
            whole_draws.append(not moved)
            if moved:
                yield f"{row['clip']}, frames {draw['at']}: {', '.join(moved)}"
    yield f"all columns within {POINTS:g} points: {sum(whole_draws)} of {len(whole_draws)} draws"
    yield ", ".join(f"{name} {sum(within)} of {len(within)}" for name, within in kept.items())
    yield "means over the draws move by: " + ", ".join(f"{name} {np.mean(by):+.2f}" for name, by in moves.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--worlds", type=int, default=24)
    parser.add_argument("--first-seed", type=int, default=96000)
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--frames", type=int, default=81)
    parser.add_argument("--size", type=int, nargs=2, default=(432, 240), metavar=("WIDTH", "HEIGHT"))
    parser.add_argument("--workers", type=int, default=1)
    asked = parser.parse_args()
    choice = Choice(size=tuple(asked.size), frames=asked.frames, fps=FPS)
    blocks = choose_blocks(asked.worlds, asked.first_seed, choice)
    dealt = cycle(np.random.default_rng(asked.first_seed).permutation(len(SUBJECTS)).tolist())
    subjects = [SUBJECTS[next(dealt)] if k % 2 else Subject() for k in range(len(blocks))]
    rows = []
    with one_blas_thread(), ProcessPoolExecutor(asked.workers, get_context("spawn"), one_opencv_thread) as pool:
        pairs = zip(blocks, subjects, strict=True)
        for done in as_completed([pool.submit(measure, *pair, asked.draws, asked.folder) for pair in pairs]):
            rows.append(done.result())
            print(f"{len(rows)} of {len(blocks)}: {rows[-1]['clip']}", flush=True)
    for line in lines_of(sorted(rows, key=lambda row: str(row["clip"]))):
        print(line)


if __name__ == "__main__":
    main()
