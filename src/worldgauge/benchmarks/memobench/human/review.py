"""The third filter of the question banks, by people: a sheet per reviewer, and what its answers keep (section 3.5).

A reviewer says of every question whether it is unambiguous, correctly polarised and answerable from the video.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.memobench.data.questions import Bank
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_table

ASPECTS = ("unambiguous", "correctly polarised", "answerable")
COLUMNS = ("clip", "ID", "Dimension", "Dimension Polarity", "Question", *ASPECTS, "remark")
WORDS = {"yes": True, "y": True, "1": True, "no": False, "n": False, "0": False}

Key = tuple[str, str]
"""Clip and number of a question."""


@dataclass(frozen=True)
class Judgement:
    """What the reviewers said of one question: per aspect how many said yes, of how many."""

    yes: tuple[int, int, int]
    given: tuple[int, int, int]

    @property
    def kept(self) -> bool | None:
        """Whether every aspect has a majority; None where an aspect has no answer or as many for as against."""
        halves = [2 * yes - given for yes, given in zip(self.yes, self.given, strict=True)]
        if any(half < 0 for half in halves):
            return False
        return None if any(half == 0 for half in halves) else True


def write_sheet(banks: Iterable[Bank], file: Path) -> int:
    """Write a sheet with every final question and empty columns to fill; returns how many questions."""
    rows = [
        [bank.clip, q["ID"], q["Dimension"], q["Dimension Polarity"], q["Question"], *([""] * (len(ASPECTS) + 1))]
        for bank in banks
        for q in bank.final
    ]
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([COLUMNS, *rows])
    return len(rows)


def read_sheets(files: Sequence[Path]) -> dict[Key, Judgement]:
    """The judgements of all reviewers together; an empty cell is no answer."""
    yes: dict[Key, list[int]] = {}
    given: dict[Key, list[int]] = {}
    for file in files:
        for line, row in enumerate(read_table(file, ("clip", "ID", *ASPECTS)), start=2):
            key = (row["clip"], row["ID"].strip())
            for number, aspect in enumerate(ASPECTS):
                said = yes_or_no(row[aspect], f"{file} line {line} column '{aspect}'")
                counted, agreed = given.setdefault(key, [0, 0, 0]), yes.setdefault(key, [0, 0, 0])
                counted[number] += said is not None
                agreed[number] += said is True
    return {key: Judgement(_three(yes[key]), _three(given[key])) for key in given}


def reviewed(bank: Bank, judgements: dict[Key, Judgement], keep_open: bool = True) -> Bank:
    """The bank without the questions that reviewers reject; undecided ones stay unless `keep_open` is false."""

    def stays(question: dict[str, Any]) -> bool:
        judgement = judgements.get((bank.clip, str(question["ID"])))
        verdict = judgement.kept if judgement is not None else None
        return keep_open if verdict is None else verdict

    return replace(bank, final=[question for question in bank.final if stays(question)])


def yes_or_no(text: str, where: str) -> bool | None:
    """A cell that a person filled; None where it is empty.

    >>> yes_or_no(" Yes ", "here"), yes_or_no("", "here")
    (True, None)
    """
    word = text.strip().lower()
    if not word:
        return None
    if word not in WORDS:
        raise WorldGaugeError(f"{where}: '{text[:40]}' is neither yes nor no", "write yes or no, or leave it empty")
    return WORDS[word]


def _three(numbers: list[int]) -> tuple[int, int, int]:
    first, second, third = numbers
    return first, second, third
