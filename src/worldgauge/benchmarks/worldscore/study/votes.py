"""Files of a human study: votes between two videos, and what automatic metrics say of each video."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_table
from worldgauge.core.run_folder import Run
from worldgauge.core.status import Status

VOTE_COLUMNS: Final = ("question", "first", "second", "person", "choice")
VIDEO: Final = "video"
"""Column of a score file that names the video."""
OF_RUN: Final = {"clip_iqa": "CLIP-IQA+", "clip_aesthetic": "CLIP Aesthetic"}
"""Column of a run to the metric's name in the paper's Table S5."""

Scores = Mapping[str, Mapping[str, float]]
"""Metric to video to its raw number."""


@dataclass(frozen=True)
class Question:
    """Two videos, and how many people preferred which."""

    id: str
    first: str
    second: str
    for_first: int
    votes: int

    @property
    def share(self) -> float:
        """Share of the people who preferred the first."""
        return self.for_first / self.votes


def read_votes(file: Path) -> list[Question]:
    """Questions in the order they first occur. Sides may be exchanged from one person to the next."""
    pairs: dict[str, tuple[str, str]] = {}
    choices: dict[str, dict[str, bool]] = {}
    for number, row in enumerate(read_table(file, VOTE_COLUMNS), start=1):
        where = f"{file} vote {number}"
        empty = next((name for name in VOTE_COLUMNS if not row[name].strip()), None)
        if empty:
            raise WorldGaugeError(f"{where}: '{empty}' is empty")
        question, first, second, person, choice = (row[name].strip() for name in VOTE_COLUMNS)
        if first == second:
            raise WorldGaugeError(f"{where}: both sides are {first}")
        if choice not in ("first", "second"):
            raise WorldGaugeError(f"{where}: choice '{choice}'", "write first or second")
        pair = pairs.setdefault(question, (first, second))
        if {*pair} != {first, second}:
            raise WorldGaugeError(f"{where}: question '{question}' was about {pair[0]} and {pair[1]} before")
        of_question = choices.setdefault(question, {})
        if person in of_question:
            raise WorldGaugeError(f"{where}: person '{person}' answered question '{question}' before")
        of_question[person] = (first if choice == "first" else second) == pair[0]
    if not pairs:
        raise WorldGaugeError(f"{file} holds no vote")
    return [
        Question(question, *pairs[question], sum(answers.values()), len(answers))
        for question, answers in choices.items()
    ]


def read_scores(file: Path) -> Scores:
    """A table with a column `video` and one column per metric; an empty cell is no number."""
    found: dict[str, dict[str, float]] = {}
    for number, row in enumerate(read_table(file, (VIDEO,)), start=1):
        video = row.pop(VIDEO).strip()
        for metric, cell in row.items():
            of_metric = found.setdefault(metric, {})
            if not cell.strip():
                continue
            if video in of_metric:
                raise WorldGaugeError(f"{file} row {number}: video '{video}' stands there twice")
            try:
                of_metric[video] = float(cell)
            except ValueError as error:
                raise WorldGaugeError(f"{file} row {number}: {metric} '{cell[:40]}' is not a number") from error
            if not math.isfinite(of_metric[video]):
                raise WorldGaugeError(f"{file} row {number}: {metric} is {cell}", "leave the cell empty")
    return found


def run_scores(runs: Sequence[Run]) -> Scores:
    """What runs measured of their videos, which are called `<model>/<case id>`."""
    found: dict[str, dict[str, float]] = {}
    for run in runs:
        for column, metric in OF_RUN.items():
            records = run.columns().get(column)
            if records is None:
                continue
            of_metric = found.setdefault(metric, {})
            for case, status, raw in zip(records.cases, records.statuses, records.raws, strict=True):
                if status is Status.OK:
                    of_metric[f"{run.name}/{case}"] = float(raw)
    return found


def joined(tables: Iterable[Scores]) -> Scores:
    """All of them in one; the same number twice is refused."""
    found: dict[str, dict[str, float]] = {}
    for table in tables:
        for metric, videos in table.items():
            of_metric = found.setdefault(metric, {})
            twice = next((video for video in videos if video in of_metric), None)
            if twice:
                raise WorldGaugeError(f"two numbers of {metric} for {twice}", "give each video once")
            of_metric |= videos
    return found
