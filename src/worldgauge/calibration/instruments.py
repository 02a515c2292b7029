"""Errors of the instruments against truth, on blocks that nothing was tuned on."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from worldgauge.blocks.block import Block, Truth
from worldgauge.blocks.choose import Choice, choose_blocks
from worldgauge.blocks.counting import Progress, StepCounter
from worldgauge.blocks.paths import PATHS
from worldgauge.calibration.result import ErrorTable
from worldgauge.core.errors import Outcome
from worldgauge.core.reading import read_json
from worldgauge.engine.surroundings import one_blas_thread, one_opencv_thread

HELD_OUT = range(1000, 1050)
"""Seeds that no instrument was developed on."""
_SIZE, _FRAMES = (320, 180), 49
_STEPS = ("push_in", "pull_out", "move_left", "move_right", "orbit_left", "orbit_right")
_MOTION = dict.fromkeys(("away_left", "away_right", "tilt", "head_turn", "exit_wait_reenter"), "pan, tilt, head turn")
_MOTION |= dict.fromkeys(_STEPS, "push, pull, move, orbit")
_MOTION |= {"u_turn": "U-turn", "walk_past": "walk past", "vertical": "rise and look up"}
"""Path to what its camera does."""
_PACKAGE = "worldgauge.calibration.instrument_checks"
Row = dict[str, float]


@dataclass(frozen=True)
class Check:
    """A function of one rendered block that gives figures by name."""

    title: str
    function: str
    """`module:function` below `worldgauge.calibration.instrument_checks`."""
    by_motion: bool = False
    """Whether what the camera does is told apart."""

    def __call__(self, truth: Truth) -> Row:
        module, _, name = self.function.partition(":")
        function: Callable[[Truth], Row] = getattr(importlib.import_module(f"{_PACKAGE}.{module}"), name)
        kind = f"{_MOTION[truth.block.path]}: " if self.by_motion else ""
        return {kind + name: float(f"{v:.6g}") for name, v in function(truth).items() if np.isfinite(v)}


CHECKS = (
    Check("Optical flow", "appearance:flow_errors"),
    Check("Target track", "appearance:track_errors"),
    Check("Embedding: same thing or another", "appearance:embedding_auc"),
    Check("Picture quality: rank correlation with the dose", "appearance:quality_doses"),
    Check("Style: rank correlation with the dose", "appearance:style_doses"),
    Check("Camera poses, lens given", "geometry:pose_errors", by_motion=True),
    Check("Point matches, by frames apart", "geometry:match_errors"),
    Check("Depth from motion", "geometry:depth_errors"),
)


def error_tables(folder: Path, workers: int, progress: Progress, seeds: range = HELD_OUT) -> list[ErrorTable]:
    """Run every check on every held-out block; finished blocks are kept in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = (*(name for name, path in PATHS.items() if path.leaves), *_STEPS)
    choice = Choice(paths=paths, size=_SIZE, frames=_FRAMES, fps=12.0)
    blocks = choose_blocks(len(seeds), seeds[0], choice)
    count = StepCounter("instruments", len(blocks), progress)
    results: list[dict[str, Row | str]] = []
    with one_blas_thread(), ProcessPoolExecutor(workers, get_context("spawn"), one_opencv_thread) as pool:
        for done in as_completed([pool.submit(check_block, block, folder) for block in blocks]):
            results.append(done.result())
            count()
    return [_table(check, [r[check.function] for r in results if check.function in r]) for check in CHECKS]


def check_block(block: Block, folder: Path) -> dict[str, Row | str]:
    """Figures of one block by check; a text instead where an instrument could not decide."""
    file = folder / f"{block.seed}.json"
    known: dict[str, Row | str] = read_json(file) if file.exists() else {}
    missing = [check for check in CHECKS if check.function not in known]
    if not missing:
        return known
    truth = block.render()
    for check in missing:
        try:
            known[check.function] = check(truth)
        except Outcome as outcome:
            known[check.function] = str(outcome)
    partial = file.with_name(f".{file.name}.partial")
    partial.write_text(json.dumps(known, indent=1) + "\n", "utf-8")
    partial.replace(file)
    return known


def _table(check: Check, rows: Sequence[Row | str]) -> ErrorTable:
    measured = [row for row in rows if not isinstance(row, str)]
    refused = [row for row in rows if isinstance(row, str)]
    lines = []
    for name in dict.fromkeys(name for row in measured for name in row):
        values = np.array([row[name] for row in measured if name in row])
        low, middle, high = np.percentile(values, (10, 50, 90))
        figures = [f"{v:.3g}" for v in (values.mean(), middle, low, high)]
        lines.append([name.replace("_", " "), *figures, str(len(values))])
    notes = [f"No answer on {len(refused)} of {len(rows)} blocks, for example: {refused[0]}."] if refused else []
    header = ["figure", "mean", "median", "p10", "p90", "blocks"]
    return ErrorTable(title=check.title, columns=header, rows=lines, notes=notes)
