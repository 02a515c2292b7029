"""Does the failure taxonomy name the one fault of a subject? Worlds, clips and the confusion matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.memobench.analyses.two_faults import perform
from worldgauge.benchmarks.memobench.formulas.failures import KINDS, name_failures
from worldgauge.blocks.block import Block
from worldgauge.blocks.families import FAMILIES
from worldgauge.blocks.paths import AWAY
from worldgauge.blocks.processes import PROCESSES
from worldgauge.blocks.subjects import ORACLE, Subject, clip_path, make_subjects
from worldgauge.blocks.truth_files import load_truth
from worldgauge.blocks.write import make_cases
from worldgauge.core.case import Case
from worldgauge.core.errors import Unscored, WorldGaugeError
from worldgauge.core.video import Video
from worldgauge.engine.definitions import choose_seats
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.perception import Loaded, Perception
from worldgauge.engine.store import Store
from worldgauge.signals.return_evidence import return_evidence

FAULT_OF: Final = {kind: "background_swap" if kind == "background" else kind for kind in KINDS}
"""Kind of failure to the fault that causes it."""
AND: Final = " and "
"""Between the kinds of a clip with two faults."""
LEVELS = 24
"""8-bit levels in some channel from which a pixel differs to the eye."""
SHOWS = 0.1
"""Differing pixels after the return, as a share of the target's: with fewer a world does not show the fault."""


@dataclass(frozen=True)
class Answer:
    """What was said of one clip."""

    world: str
    fault: str
    """Kind of failure the subject has, or two with `AND` between, or `oracle`."""
    differs: float
    """Pixels that differ from the true ones after the return, in target areas; mean over frames."""
    named: tuple[str, ...]
    unscored: str = ""
    """Why nothing could be said."""
    untold: tuple[str, ...] = ()
    """Kinds of which neither yes nor no can be said."""

    @property
    def left_out(self) -> str:
        """Why the clip does not count: nothing could be said, or by the truth alone it does not show its fault."""
        if self.unscored or self.fault == ORACLE or self.differs >= SHOWS:
            return self.unscored
        return f"differs by {self.differs:.2f} target areas, less than {SHOWS}"


def draw_blocks(first_seed: int, count: int, size: tuple[int, int] = (320, 180), frames: int = 49) -> list[Block]:
    """Away-and-back blocks: families, paths and processes dealt from shuffled decks, so that each comes equally often.

    >>> len({block.process for block in draw_blocks(5000, 15)})
    15
    """
    random = np.random.default_rng(first_seed)
    decks = [_deal(names, count, random) for names in (list(FAMILIES), [path.name for path in AWAY], list(PROCESSES))]
    return [
        Block(first_seed + k, family, path, process, size, frames)
        for k, (family, path, process) in enumerate(zip(*decks, strict=True))
    ]


def ask(
    blocks: Sequence[Block],
    folder: Path,
    kinds: Sequence[str] = KINDS,
    pairs: Sequence[tuple[str, str]] = (),
) -> Iterator[Answer]:
    """The taxonomy's answers to the oracle, a subject per kind and a subject per pair of kinds, at severity 1; what was
    made of the first two before is kept.

    Worlds that cannot be drawn are left out.
    """
    seats = choose_seats("pocket")
    instruments, store = Loaded(seats, "cpu"), Store(folder / "store")
    subjects = {ORACLE: Subject()} | {kind: Subject(FAULT_OF[kind], 1.0) for kind in kinds}
    for block in blocks:
        try:
            (case,) = make_cases(folder / "worlds", [block])
        except WorldGaugeError:
            continue
        folders = make_subjects([case], list(subjects.values()), folder / "subjects")
        videos = {kind: Video(clip_path(folders[subject.name], case)) for kind, subject in subjects.items()}
        for pair in pairs:
            frames = perform(case, FAULT_OF[pair[0]], FAULT_OF[pair[1]])
            videos[AND.join(pair)] = Video.from_array(frames, layout="THWC", fps=case.condition.fps)
        for kind, video in videos.items():
            perception = Perception(CaseInputs(case, video), seats, store, instruments)
            use = return_evidence()
            perception.announce([use])
            told: dict[str, bool | None] = {}
            unscored = ""
            try:
                told = name_failures(perception.value(use))
            except Unscored as outcome:
                unscored = str(outcome)
            named, untold = (tuple(k for k, shown in told.items() if shown is answer) for answer in (True, None))
            yield Answer(case.id, kind, differing(case, video), named, unscored, untold)


def differing(case: Case, video: Video) -> float:
    """Pixels of a clip that differ from the reference's after the return, in areas of the true target there."""
    assert case.reference.video is not None and case.reference.phases is not None
    back = slice(case.reference.phases.back, None)
    ours, theirs = (list(v.frames())[back] for v in (video, Video(case.path(case.reference.video))))
    areas = load_truth(case, "amodal")["visible"][back].sum((1, 2))
    changed = [_differ(a, b) / max(1, int(area)) for a, b, area in zip(ours, theirs, areas, strict=True)]
    return float(np.mean(changed))


def several_named(answers: Sequence[Answer]) -> tuple[int, int, int]:
    """Of the clips with two faults that count: how many are given two names, how many both right ones, and all."""
    double = [answer for answer in answers if AND in answer.fault and not answer.left_out]
    right = [set(answer.fault.split(AND)) <= set(answer.named) for answer in double]
    return sum(len(answer.named) >= 2 for answer in double), sum(right), len(double)


def named_shares(answers: Sequence[Answer]) -> dict[str, Mapping[str, float]]:
    """True fault (`oracle` first, pairs last) to the share of its clips given each name, of the clips that count."""
    return _shares(answers, lambda answer: answer.named)


def untold_shares(answers: Sequence[Answer]) -> dict[str, Mapping[str, float]]:
    """The same for kinds that could not be told: these clips are neither given the name nor cleared of it."""
    return _shares(answers, lambda answer: answer.untold)


def _shares(answers: Sequence[Answer], kinds_of: Callable[[Answer], tuple[str, ...]]) -> dict[str, Mapping[str, float]]:
    table: dict[str, Mapping[str, float]] = {}
    pairs = dict.fromkeys(answer.fault for answer in answers if AND in answer.fault)
    for fault in (ORACLE, *KINDS, *pairs):
        of_fault = [kinds_of(answer) for answer in answers if answer.fault == fault and not answer.left_out]
        if of_fault:
            table[fault] = {kind: float(np.mean([kind in kinds for kinds in of_fault])) for kind in KINDS}
    return table


def _deal(names: list[str], count: int, random: np.random.Generator) -> list[str]:
    rounds = count // len(names) + 1
    return [names[i] for _ in range(rounds) for i in random.permutation(len(names))][:count]


def _differ(first: NDArray[np.uint8], second: NDArray[np.uint8]) -> int:
    return int((np.abs(first.astype(np.int16) - second).max(axis=2) > LEVELS).sum())
