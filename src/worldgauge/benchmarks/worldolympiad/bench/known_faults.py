"""The geometry columns that need no judge on gauge blocks whose faults are known.

python -m worldgauge.benchmarks.worldolympiad.bench.known_faults FOLDER [--worlds 16] [--first-seed 20000] [--workers 1]

Half of the worlds are seen by a camera that turns away and back, half by one that moves. Prints a line per finished
world, then a table: of each fault Spearman's rho between severity and score, mean over worlds with its interval, and
the means of the scores over worlds in which every severity has one. About one and a half minutes of processor time per
world; what is in FOLDER already is kept.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from worldgauge.blocks.block import Block
from worldgauge.blocks.choose import Choice, choose_blocks
from worldgauge.blocks.faults import FAULTS
from worldgauge.blocks.subjects import Subject, clip_path, make_subjects
from worldgauge.blocks.write import case_id, make_cases
from worldgauge.core.benchmark import read_benchmark_file, resolved_uses
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_json
from worldgauge.core.video import Video
from worldgauge.engine.definitions import choose_seats, resolve
from worldgauge.engine.evaluate import evaluate
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.perception import Loaded, Perception
from worldgauge.engine.store import Store
from worldgauge.engine.surroundings import one_blas_thread, one_opencv_thread
from worldgauge.stats.bootstrap import cluster_replicates, percentile_interval
from worldgauge.stats.correlation import spearman

COLUMNS = ("Camera", "house_camera", "house_photometric", "house_photometric_psnr")
MUST_FALL = {
    "camera_drift": ("Camera", "house_camera"),
    "wrong_action": ("Camera", "house_camera"),
    "geometry_wobble": ("house_photometric", "house_photometric_psnr"),
    "background_swap": ("house_photometric", "house_photometric_psnr"),
    "vanish": (),
}
"""Fault to the columns that must see it."""
SEVERITIES = (0.25, 0.5, 1.0)
TURNS = Choice(paths=("away_left", "away_right", "tilt", "exit_wait_reenter"), size=(224, 126), frames=33, fps=10.0)
WALKS = replace(TURNS, paths=("move_left", "move_right", "orbit_left", "orbit_right", "pull_out", "push_in"))
LEAST_CLIPS = 3
"""Scored clips of a world from which on it has a rho."""
Row = dict[str, Any]


def blocks_of(worlds: int, seed: int) -> list[Block]:
    """Every second one with a camera that turns away and back, the others with one that moves."""
    turning, walking = (choose_blocks(worlds, seed, choice) for choice in (TURNS, WALKS))
    return [(walking if k % 2 else turning)[k] for k in range(worlds)]


def measure(block: Block, folder: Path, faults: Sequence[str] = tuple(MUST_FALL)) -> Row:
    """What the columns say about the oracle and every fault at every severity on one world; kept in `folder`."""
    file_ = read_benchmark_file("worldolympiad")
    uses = [use for use in resolved_uses(file_, "released") if use.id in COLUMNS]
    seats = choose_seats("pocket")
    definitions = {definition.id: definition for definition in resolve(uses, seats)}
    made = {name: definition.fingerprint for name, definition in definitions.items()}
    file = folder / "scores" / f"{case_id(block)}.json"
    known: Row = read_json(file) if file.exists() else {}
    versions = {fault: FAULTS[fault].version for fault in faults}
    if known.get("definitions") == made and known.get("faults") == versions:
        return known
    (case,) = make_cases(folder / "worlds" / case_id(block), [block])
    subjects = [Subject(), *(Subject(fault, severity) for fault in faults for severity in SEVERITIES)]
    folders = make_subjects([case], subjects, folder / "subjects" / case.id)
    instruments, store = Loaded(seats, "cpu"), Store(folder / "store")
    scores: dict[str, dict[str, float | None]] = {}
    reasons: dict[str, str] = {}
    for subject in subjects:
        inputs = CaseInputs(case, Video(clip_path(folders[subject.name], case)))
        perception = Perception(inputs, seats, store, instruments)
        # What a fault must move, and for one that must move nothing all of them.
        asked = MUST_FALL.get(subject.fault, ()) or COLUMNS
        records = {name: evaluate(definitions[name], inputs, perception) for name in asked}
        scores[subject.name] = {name: record.value for name, record in records.items()}
        reasons |= {f"{subject.name} {name}": r.reason for name, r in records.items() if r.value is None}
    row: Row = {"definitions": made, "faults": versions, "scores": scores, "unscored": reasons}
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f".{file.name}.partial")
    partial.write_text(json.dumps(row, indent=1) + "\n", "utf-8")
    partial.replace(file)
    return row


def curve(row: Row, fault: str, column: str) -> list[float | None]:
    """The scores at severity 0 and every other, of one world."""
    names = [Subject().name, *(Subject(fault, severity).name for severity in SEVERITIES)]
    return [row["scores"][name].get(column) for name in names]


def rho(scores: Sequence[float | None]) -> float | None:
    """Spearman's rho of severity and score over the clips that have one; None where fewer than three have, and 0 where
    nothing changes."""
    known = [(severity, score) for severity, score in zip((0.0, *SEVERITIES), scores, strict=True) if score is not None]
    if len(known) < LEAST_CLIPS:
        return None
    return spearman(*zip(*known, strict=True)).coefficient or 0.0


def table_of(rows: Sequence[Row]) -> list[str]:
    """A line for each fault and column."""
    lines = [
        "| fault | column | worlds | rho (95 %) | if unscored were worst | clips unscored | mean score at 0, "
        + ", ".join(f"{severity:g}" for severity in SEVERITIES)
        + " | largest mean change |",
        "| --- | --- | ---: | ---: | ---: | ---: | --- | ---: |",
    ]
    measured = {fault for row in rows for fault in row["faults"]}
    for fault, must in MUST_FALL.items():
        for column in (must or COLUMNS) if fault in measured else ():
            curves = [curve(row, fault, column) for row in rows]
            found = np.array([value for one in curves if (value := rho(one)) is not None])
            worst = np.array([rho([0.0 if score is None else score for score in one]) for one in curves], float)
            whole = np.array([one for one in curves if None not in one], float)
            means = whole.mean(axis=0) if len(whole) else np.full(1 + len(SEVERITIES), np.nan)
            told = [
                fault,
                column,
                str(len(found)),
                f"{found.mean():.2f} ({_interval(found)})" if len(found) else "-",
                f"{worst.mean():.2f}",
                f"{sum(score is None for one in curves for score in one)} of {sum(map(len, curves))}",
                ", ".join(f"{value:.4g}" for value in means),
                f"{np.abs(means[1:] - means[0]).max():.4f}",
            ]
            lines.append(f"| {' | '.join(told)} |")
    return lines


def _interval(values: np.ndarray) -> str:
    found = percentile_interval(cluster_replicates(values[None], np.arange(len(values)), 2000)[0], clusters=len(values))
    return "-" if found is None else f"{found[0]:.2f} to {found[1]:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--worlds", type=int, default=16)
    parser.add_argument("--first-seed", type=int, default=20000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--faults", default=",".join(MUST_FALL), help="only these, by comma")
    asked = parser.parse_args()
    blocks, rows, started = blocks_of(asked.worlds, asked.first_seed), list[Row](), time.monotonic()
    with one_blas_thread(), ProcessPoolExecutor(asked.workers, get_context("spawn"), one_opencv_thread) as pool:
        jobs = {pool.submit(measure, block, asked.folder, asked.faults.split(",")): block for block in blocks}
        for done in as_completed(jobs):
            minutes = (time.monotonic() - started) / 60
            try:
                rows.append(done.result())
                print(f"{case_id(jobs[done])}: {len(rows)} of {len(jobs)}, {minutes:.1f} min", flush=True)
            except WorldGaugeError as error:
                print(f"{case_id(jobs[done])} left out: {error}", flush=True)
    print(f"\n{len(rows)} worlds, seeds {asked.first_seed} to {asked.first_seed + asked.worlds - 1}\n")
    for line in table_of(rows):
        print(line)
    for row in rows:
        for what, why in row["unscored"].items():
            print(f"unscored: {what}: {why}")


if __name__ == "__main__":
    main()
