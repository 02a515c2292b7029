"""From gauge blocks to worldscore.json in one script: data set, model inputs, subjects, run, official files.

PYTHONPATH=tests python -m benchmarks.worldscore.gauge_study FOLDER [CASES] [FAULT...]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.worldscore.blocks_as_released import write_released
from worldgauge.blocks.block import Block
from worldgauge.blocks.paths import CHAINS, LAYOUTS
from worldgauge.blocks.subjects import Subject, clip_path, make_subjects
from worldgauge.blocks.write import make_cases
from worldgauge.core.case import Case

SIZE = (128, 72)
FRAMES = 13
"""Of one layout."""
FAMILIES = ("street", "yard", "room", "hall", "pool", "shelf")
STILL = ("melting", "inflating", "draining", "freezing")
"""Processes that change the target in place: the nearest thing to a motionless world."""
MOVING = ("crossing", "rolling", "pendulum", "windmill", "bouncing")
FAULTS = (Subject("flicker", 1.0), Subject("style_drift", 1.0))


def study(root: Path, cases: int = 30, faults: tuple[Subject, ...] = FAULTS) -> dict[str, dict[str, Any]]:
    """Make everything below `root`; returns worldscore.json per subject."""
    static, dynamic = gauge_blocks(cases)
    still, moving = make_cases(root / "static", static), make_cases(root / "dynamic", dynamic)
    data = root / "WorldScore-Dataset"
    names = write_released(data, still, moving)
    size = "x".join(map(str, SIZE))
    worldgauge("inputs", "worldscore", "--data", data, "--size", size, "-n", FRAMES, "-o", root / "inputs")
    scores = {}
    subjects = (Subject(), *faults)
    for group in (still, moving):
        make_subjects(group, subjects, root / "subjects")
    for subject in subjects:
        submission = place_videos(root, subject, [*still, *moving], names)
        run, out = root / "runs" / subject.name, root / "official" / subject.name
        flags = ("-b", "worldscore", "--instruments", "pocket", "--data", data, "-w", 1, "--store", root / "store")
        worldgauge("run", submission, *flags, "-o", run)
        worldgauge("worldscore", "files", run, "-o", out, "--unofficial")
        scores[subject.name] = json.loads((out / "worldscore.json").read_text())
    return scores


def gauge_blocks(cases: int) -> tuple[list[Block], list[Block]]:
    """Two thirds static worlds, a tenth of all of them large; one third dynamic."""
    large = max(1, cases // 10)
    small = cases * 2 // 3 - large
    paths = [LAYOUTS[i % len(LAYOUTS)] for i in range(small)] + [CHAINS[i % len(CHAINS)] for i in range(large)]
    static = [
        Block(900 + i, FAMILIES[i % 6], path, STILL[i % 4], SIZE, len(path.split("+")) * (FRAMES - 1) + 1, 8.0)
        for i, path in enumerate(paths)
    ]
    dynamic = [
        Block(960 + i, FAMILIES[i % 6], "fixed", MOVING[i % 5], SIZE, FRAMES, 8.0) for i in range(cases - len(static))
    ]
    return static, dynamic


def place_videos(root: Path, subject: Subject, cases: list[Case], names: dict[str, str]) -> Path:
    """A subject's videos under the names of the official tree, as links."""
    clips = {case.id: clip_path(root / "subjects" / subject.name, case) for case in cases}
    folder = root / "submissions" / subject.name
    for official, block in names.items():
        link = folder / f"{official}.mkv"
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.exists():
            link.symlink_to(clips[block].resolve())
    return folder


def worldgauge(*arguments: object) -> str:
    """The command as a user types it."""
    command = [sys.executable, "-c", "from worldgauge.cli.main import main; main()", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, arguments))}: {done.stderr[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("cases", type=int, nargs="?", default=30)
    parser.add_argument("faults", nargs="*", help="at full strength")
    asked = parser.parse_args()
    chosen = tuple(Subject(fault, 1.0) for fault in asked.faults) or FAULTS
    for name, result in study(asked.folder, asked.cases, chosen).items():
        sys.stdout.write(f"{name}: {json.dumps(result)}\n")
