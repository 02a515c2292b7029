"""The pocket instruments against truth, on worlds that nothing was tuned on: figures with 95 % intervals.

python -m bench.held_out FOLDER [--mixed 9100 200] [--u-turns 9300 200] [--workers 2] [--only tracks|geometry]

`--mixed` and `--u-turns` take the first seed and how many worlds, `--only` measures nothing else (geometry: poses, and
depth, which rests on them). A line is printed per finished world, the tables at the end. About 30 s of processor time
per world, 5 s for tracks or geometry; worlds that are in FOLDER already are not measured again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from worldgauge.blocks.block import Block, Truth
from worldgauge.blocks.choose import Choice, choose_blocks
from worldgauge.blocks.paths import PATHS
from worldgauge.calibration.instrument_checks import appearance, geometry
from worldgauge.core.errors import Outcome, WorldGaugeError
from worldgauge.core.reading import read_json
from worldgauge.engine.surroundings import one_blas_thread, one_opencv_thread

SIZE, FRAMES, FPS = (320, 180), 49, 12.0
STEPS = ("push_in", "pull_out", "move_left", "move_right", "orbit_left", "orbit_right")
WRONG = 5.0
"""Degrees; a path whose mean rotation error is larger should have been doubted."""
DRAWS = 2000
"""Resamples of the worlds for an interval."""
Row = dict[str, float]
Found = dict[str, Row | str]
Check = Callable[[Truth], Found]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--mixed", nargs=2, type=int, default=(9100, 200), metavar=("SEED", "COUNT"))
    parser.add_argument("--u-turns", nargs=2, type=int, default=(9300, 200), metavar=("SEED", "COUNT"))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only", choices=PARTS)
    given = parser.parse_args(arguments)
    check = PARTS[given.only] if given.only else _checked
    others = (*(name for name, path in PATHS.items() if path.leaves and name != "u_turn"), *STEPS)
    mixed = measured("mixed", chosen(given.mixed, others), given.folder, given.workers, check)
    turns = measured("U-turns", chosen(given.u_turns, ("u_turn",)), given.folder, given.workers, check)
    print(report(mixed, turns))


def chosen(seeds: Sequence[int], paths: Sequence[str]) -> list[Block]:
    first, count = seeds
    return choose_blocks(count, first, Choice(paths=paths, size=SIZE, frames=FRAMES, fps=FPS))


def measured(kind: str, blocks: Sequence[Block], folder: Path, workers: int, check: Check) -> list[Found]:
    """What the checks say about each world, as it is finished."""
    folder.mkdir(parents=True, exist_ok=True)
    results: list[Found] = []
    with one_blas_thread(), ProcessPoolExecutor(workers, get_context("spawn"), one_opencv_thread) as pool:
        for done in as_completed([pool.submit(measure, block, folder, check) for block in blocks]):
            name, found = done.result()
            results.append(found)
            print(f"{kind} {len(results)}/{len(blocks)} {name}: {_in_short(found)}", flush=True)
    return results


def measure(block: Block, folder: Path, check: Check) -> tuple[str, Found]:
    """Figures of one world by instrument; a text instead where it could not decide."""
    name = f"{block.seed}-{block.family}-{block.path}-{block.process}"
    file = folder / f"{name}.json"
    if file.exists():
        return name, read_json(file)
    try:
        found = check(block.render())
    except WorldGaugeError as error:
        found = {"world": str(error)}
    partial = file.with_name(f".{file.name}.partial")
    partial.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    partial.replace(file)
    return name, found


def _checked(truth: Truth) -> Found:
    found = _noted("flow", lambda: appearance.flow_errors(truth)) | _tracked(truth)
    return found | _noted("embedding", lambda: appearance.embedding_auc(truth)) | _located(truth)


def _tracked(truth: Truth) -> Found:
    return {} if truth.phases is None else _noted("track", lambda: appearance.track_errors(truth))


def _located(truth: Truth) -> Found:
    try:
        path = geometry.recover(truth)
    except Outcome as outcome:
        return {"poses": str(outcome)}
    found = _noted("poses", lambda: geometry.pose_errors(truth, path))
    return found | (_noted("depth", lambda: geometry.depth_errors(truth, path)) if path.moves else {})


PARTS: dict[str, Check] = {"tracks": _tracked, "geometry": _located}


def _noted(title: str, check: Callable[[], Row]) -> Found:
    try:
        return {title: {name: float(f"{v:.6g}") for name, v in check().items() if np.isfinite(v)}}
    except Outcome as outcome:
        return {title: str(outcome)}


def _in_short(found: Found) -> str:
    said = [f"{title}: {text}" for title, text in found.items() if isinstance(text, str)]
    poses, track = found.get("poses"), found.get("track")
    if isinstance(poses, dict):
        said.append(f"rotation {poses['mean_rotation']:.2f} deg{', doubted' if poses['doubted'] else ''}")
    if isinstance(track, dict):
        said.append(f"IoU {track['iou']:.2f}, found again {track['redetected']:.2f}")
    return ", ".join(said)


def report(mixed: list[Found], turns: list[Found]) -> str:
    """All tables in Markdown."""
    lines = ["| figure | worlds | mean | median | 10 % | 90 % |", "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for kind, found in (("mixed", mixed), ("U-turns", turns)):
        for title in ("flow", "poses", "track", "depth", "embedding"):
            lines += _figures(f"{kind}, {title}", [f[title] for f in found if title in f])
    return "\n".join([*lines, "", *_tracks(mixed + turns), *_confidence(mixed + turns)])


def _figures(title: str, rows: Sequence[Row | str]) -> list[str]:
    answers = [row for row in rows if not isinstance(row, str)]
    lines = []
    for name in dict.fromkeys(name for row in answers for name in row):
        values = np.array([row[name] for row in answers if name in row])
        low, high = np.percentile(values, (10, 90))
        cells = f"{_with_interval(values, np.mean)} | {_with_interval(values, np.median)} | {low:.3g} | {high:.3g}"
        lines.append(f"| {title}: {name.replace('_', ' ')} | {len(values)} | {cells} |")
    if len(answers) < len(rows):
        why = next(row for row in rows if isinstance(row, str))
        lines.append(f"| {title}: no answer ({why}) | {len(rows) - len(answers)} | | | | |")
    return lines


def _with_interval(values: np.ndarray, of: Callable[..., np.ndarray]) -> str:
    drawn = np.random.default_rng(0).integers(0, len(values), (DRAWS, len(values)))
    low, high = np.percentile(of(values[drawn], axis=1), (2.5, 97.5))
    return f"{float(of(values)):.3g} ({low:.3g} to {high:.3g})"


def _confidence(found: Sequence[Found]) -> list[str]:
    """How many wrong and right paths are doubted, with Wilson intervals."""
    rows = [row for f in found if not isinstance(row := f.get("poses", ""), str)]
    wrong = [row["doubted"] for row in rows if row["mean_rotation"] > WRONG]
    right = [row["doubted"] for row in rows if row["mean_rotation"] <= WRONG]
    return [
        f"Paths off by more than {WRONG:g} degrees in the mean: {_share(wrong)} are doubted (wanted: at least 80 %).",
        f"Other paths: {_share(right)} are doubted (wanted: at most 5 %).",
    ]


def _tracks(found: Sequence[Found]) -> list[str]:
    """The track's figures over all worlds whose target leaves and returns."""
    rows = [row for f in found if isinstance(row := f.get("track"), dict)]
    if not rows:
        return []
    figures = [f"{name.replace('_', ' ')} {_over(rows, name)}" for name in rows[0]]
    return [f"Tracks of {len(rows)} worlds: {'; '.join(figures)}."]


def _over(rows: Sequence[Row], name: str) -> str:
    return _with_interval(np.array([row[name] for row in rows if name in row]), np.mean)


def _share(flags: Sequence[float]) -> str:
    count, hits, z = len(flags), sum(flags), 1.96
    if not count:
        return "none of none"
    share, spread = hits / count, z * z / count
    middle = (share + spread / 2) / (1 + spread)
    half = z * np.sqrt(share * (1 - share) / count + spread / (4 * count)) / (1 + spread)
    return f"{hits:.0f} of {count} ({100 * share:.1f} %, {100 * (middle - half):.1f} to {100 * (middle + half):.1f})"


if __name__ == "__main__":
    main()
