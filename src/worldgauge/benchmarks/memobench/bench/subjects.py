"""Scores of known subjects on drawn gauge blocks, pocket instruments, `released`: what the benches share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from worldgauge.benchmarks.memobench.analyses.taxonomy_check import draw_blocks
from worldgauge.blocks.block import Block
from worldgauge.blocks.subjects import ORACLE, Subject, clip_path, make_subjects
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

Videos = Callable[[Case, Path], Iterable[tuple[str, Video]]]
"""A world and a folder for what is made, to the name and the clip of each subject."""
Scores = dict[tuple[str, str], list[float]]
"""Subject and column to the scores over worlds; a clip without a score has none."""


def faulty(faults: Sequence[str]) -> Videos:
    """The truth and a subject with each fault at severity 1."""
    subjects = [Subject(), *(Subject(fault, 1.0) for fault in faults)]

    def videos(case: Case, folder: Path) -> Iterator[tuple[str, Video]]:
        folders = make_subjects([case], subjects, folder / "subjects")
        for subject in subjects:
            name = "oracle" if subject.fault == ORACLE else subject.fault.replace("_", " ")
            yield name, Video(clip_path(folders[subject.name], case))

    return videos


def measure(blocks: Iterable[Block], folder: Path, columns: Sequence[str], videos: Videos) -> Scores:
    """Every column of every subject; what is in the folder already is not made again."""
    seats = choose_seats("pocket")
    instruments, store = Loaded(seats, "cpu"), Store(folder / "store")
    uses = [use for use in resolved_uses(read_benchmark_file("memobench"), "released") if use.id in columns]
    found: Scores = {}
    for block in blocks:
        try:
            (case,) = make_cases(folder / "worlds", [block])
        except WorldGaugeError as error:
            print(f"left out: {error}", flush=True)
            continue
        for name, video in videos(case, folder):
            inputs = CaseInputs(case, video)
            perception = Perception(inputs, seats, store, instruments)
            for definition in resolve(uses, seats):
                value = evaluate(definition, inputs, perception).value
                found.setdefault((name, definition.id), []).extend([] if value is None else [value])
    return found


def asked(description: str | None, first_seed: int, worlds: int) -> tuple[Path, list[Block]]:
    """Folder and worlds of the command line."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folder", type=Path)
    parser.add_argument("first_seed", type=int, nargs="?", default=first_seed)
    parser.add_argument("worlds", type=int, nargs="?", default=worlds)
    given = parser.parse_args()
    return given.folder, draw_blocks(given.first_seed, given.worlds)
