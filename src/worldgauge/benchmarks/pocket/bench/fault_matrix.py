"""Every fault at its middle severity against every pocket metric, on worlds of each kind.

python -m worldgauge.benchmarks.pocket.bench.fault_matrix FOLDER [--kinds returns,layouts,fixed] [--worlds 16]
    [--first-seed 13000] [--workers 2] [--page docs/pocket.md]

Prints a line per finished world, then for each kind which metric sees each fault in how many worlds, what moves though
it must stay, and the scores, which `--page` writes as a page of the documentation. One to four minutes of processor
time per world; what is in FOLDER already is kept. The worlds are those of the calibration, and more of them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.pocket.bench.columns import MIDDLE, REAL, Row, gauge_of, page_of, pocket_uses, spread
from worldgauge.benchmarks.pocket.bench.seen import Scores, sights, stirred
from worldgauge.blocks.block import Block
from worldgauge.blocks.faults import FAULTS
from worldgauge.blocks.filmed import as_filmed
from worldgauge.blocks.paths import FIXED
from worldgauge.blocks.subjects import ORACLE, Subject, clip_path, make_subjects, quantities, reference_frames
from worldgauge.blocks.write import case_id, make_cases
from worldgauge.calibration.presets import FIRST_SEEDS, SMALL, choose_preset
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.gauge import Quality
from worldgauge.core.metric import METRICS
from worldgauge.core.reading import read_json
from worldgauge.core.video import Video
from worldgauge.engine.definitions import choose_seats, resolve
from worldgauge.engine.evaluate import evaluate, first_lack
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.perception import Loaded, Perception
from worldgauge.engine.store import Store
from worldgauge.engine.surroundings import one_blas_thread, one_opencv_thread


def measure(block: Block, faults: Sequence[str], folder: Path) -> Row:
    """What every column says about the oracle and every fault on one world; kept in `folder`."""
    seats = choose_seats("pocket")
    definitions = resolve(pocket_uses(), seats)
    made = {definition.id: definition.fingerprint for definition in definitions}
    if block.path == FIXED.name:
        # A path that does not turn has no camera control, and finding that out takes as long as all the rest.
        asked = {use.id for use in pocket_uses() if gauge_of(use).quality is not Quality.CAMERA}
        definitions = [definition for definition in definitions if definition.id in asked]
    file = folder / "scores" / f"{case_id(block)}.json"
    known: Row = read_json(file) if file.exists() else {}
    versions = {name: FAULTS[name].version for name in faults}
    if known.get("definitions") == made and known.get("faults") == versions:
        return known
    (case,) = make_cases(folder / "worlds" / case_id(block), [block])
    subjects = [Subject(), *(Subject(fault, MIDDLE) for fault in faults)]
    folders = make_subjects([case], subjects, folder / "subjects" / case.id)
    instruments, store = Loaded(seats, "cpu"), Store(folder / "store")
    scores: dict[str, dict[str, float | None]] = {}
    reasons: dict[str, dict[str, str]] = {}
    videos = {subject.fault: Video(clip_path(folders[subject.name], case)) for subject in subjects}
    videos[REAL] = Video.from_array(as_filmed(reference_frames(case)), layout="THWC", fps=case.condition.fps)
    for name, video in videos.items():
        inputs = CaseInputs(case, video)
        perception = Perception(inputs, seats, store, instruments)
        fitting = [definition for definition in definitions if first_lack(definition, inputs) is None]
        needs = [use for definition in fitting for use in definition.metric.needs]
        perception.announce(needs, [definition.metric for definition in fitting])
        records = {d.id: evaluate(d, inputs, perception) for d in definitions}
        scores[name] = dict.fromkeys(made) | {column: record.value for column, record in records.items()}
        reasons[name] = {column: r.reason for column, r in records.items() if r.value is None}
    shown = {s.fault: quantities(folders[s.name]).get(case.id, 0.0) for s in subjects if s.fault != ORACLE}
    row: Row = {"definitions": made, "faults": versions, "scores": scores, "quantities": shown, "unscored": reasons}
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f".{file.name}.partial")
    partial.write_text(json.dumps(row, indent=1) + "\n", "utf-8")
    partial.replace(file)
    return row


def looked_at(rows: Sequence[Row], faults: Sequence[str]) -> tuple[list[Scores], dict[str, NDArray[np.bool_]]]:
    """Every metric's scores in one kind of worlds, and in which of them each fault shows."""
    shows = {f: np.array([row["quantities"][f] > FAULTS[f].noticed for row in rows]) for f in faults}

    def values(column: str, fault: str) -> NDArray[np.float64]:
        numbers = _numbers(row["scores"][fault][column] for row in rows)
        return numbers if fault in (ORACLE, REAL) else np.where(shows[fault], numbers, np.nan)

    metrics = []
    for use in pocket_uses():
        better = METRICS.get(use.use).higher_is_better
        of_faults = {fault: values(use.id, fault) for fault in faults}
        metrics.append(Scores(gauge_of(use), better, values(use.id, ORACLE), of_faults))
    return metrics, shows


def seen_table(kinds: Mapping[str, tuple[Sequence[Row], Sequence[str]]]) -> str:
    """In how many worlds the best column sees each fault, kind by kind."""
    cells: dict[str, dict[str, str]] = {}
    moved = []
    for kind, (rows, faults) in kinds.items():
        metrics, shows = looked_at(rows, faults)
        for sight in sights(metrics, shows, MIDDLE):
            share = f"{sight.seen} of {sight.worlds}"
            mark = share if sight.enough else f"**{share}**"
            cells.setdefault(sight.fault, {})[kind] = f"{mark} by {sight.metric}"
        moved += [f"- {kind}: {line}" for line in stirred(metrics, MIDDLE)]
    table = ["| fault | " + " | ".join(kinds) + " |", "| --- |" + " --- |" * len(kinds)]
    table += [f"| {fault} | " + " | ".join(of.get(kind, "-") for kind in kinds) + " |" for fault, of in cells.items()]
    intro = (
        "Seen: the difference to the same world's oracle is larger than the 95th percentile of that column's\n"
        "differences over all faults it must ignore. Named is the column that sees it in most worlds; a dash where a\n"
        "fault does not apply or shows nothing. In bold where it is seen in too few."
    )
    still = "\n".join(moved) if moved else "Nothing that must stay still moves more than its stated margin."
    return "\n".join(["", "## Which faults are seen", "", intro, "", *table, "", still, ""])


def lines_of(rows: Sequence[Row], faults: Sequence[str]) -> Iterator[str]:
    """What one kind of worlds shows."""
    metrics, shows = looked_at(rows, faults)
    for sight in sights(metrics, shows, MIDDLE):
        mark = "ok  " if sight.enough else "MISS"
        also = f"; also {', '.join(sight.others)}" if sight.others else ""
        yield f"{mark} {sight.fault:16} {sight.seen:2} of {sight.worlds:2} by {sight.metric}{also}"
    never = [fault for fault in faults if not shows[fault].any()]
    yield f"shows nothing in any of these worlds: {', '.join(never) or 'none'}"
    yield from (f"MOVES {line}" for line in stirred(metrics, MIDDLE))
    for scores in metrics:
        limit = scores.threshold(MIDDLE)
        level = "nothing it must ignore" if limit is None else f"seen above {limit:.3g}"
        real = spread(_numbers(row["scores"][REAL][scores.gauge.id] for row in rows))
        yield f"{scores.gauge.id}: oracle {spread(scores.oracle)}, {REAL} {real}; {level}"
        yield "   " + ", ".join(f"{f} {spread(found)}" for f, found in scores.subjects.items())


def _numbers(found: Iterable[float | None]) -> NDArray[np.float64]:
    return np.array([np.nan if value is None else value for value in found], np.float64)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kinds", default="returns,layouts,fixed")
    parser.add_argument("--worlds", type=int, default=16)
    parser.add_argument("--first-seed", type=int, default=FIRST_SEEDS["returns"])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--faults", default="", help="only these, by comma")
    parser.add_argument("--page", type=Path, help="write the scores there")
    asked = parser.parse_args()
    kinds: dict[str, tuple[list[Row], list[str]]] = {}
    named = [name for name in asked.faults.split(",") if name]
    started = time.monotonic()
    for kind in asked.kinds.split(","):
        seed = asked.first_seed + FIRST_SEEDS[kind] - FIRST_SEEDS["returns"]
        preset = replace(choose_preset(SMALL.name, (), kind), worlds=asked.worlds, first_seed=seed)
        faults = [fault for fault in preset.faults if not named or fault in named]
        rows = []
        with one_blas_thread(), ProcessPoolExecutor(asked.workers, get_context("spawn"), one_opencv_thread) as pool:
            jobs = {pool.submit(measure, block, faults, asked.folder / kind): block for block in preset.blocks()}
            for done in as_completed(jobs):
                minutes = (time.monotonic() - started) / 60
                try:
                    rows.append(done.result())
                    print(f"{kind} {case_id(jobs[done])}: {len(rows)} of {len(jobs)}, {minutes:.1f} min", flush=True)
                except WorldGaugeError as error:
                    print(f"{kind} {case_id(jobs[done])} left out: {error}", flush=True)
        print(f"\n{kind}: {len(rows)} worlds, severity {MIDDLE:g}", flush=True)
        for line in lines_of(rows, faults) if rows else ():
            print(line, flush=True)
        print(flush=True)
        kinds[kind] = (rows, faults)
    if asked.page:
        asked.page.write_text(page_of(kinds) + seen_table(kinds), "utf-8")


if __name__ == "__main__":
    main()
