"""Ballots: what each judge said each time, where a question is answered more than once. `ballots.jsonl` of a run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from worldgauge.core.reading import read_lines

FILE_NAME = "ballots.jsonl"
Level = Literal["nominal", "ordinal", "interval"]


class Ballot(BaseModel):
    """All answers to one question about one clip."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    case: str = ""
    take: int = 0
    """Which of the model's videos of that case."""
    signal: str = ""
    question: str
    level: Level = "nominal"
    """What a difference between two answers means."""
    answers: dict[str, list[str | int | float]]
    """Judge to what it said, time after time."""
    counted: str | float | None = None
    """What became of it; null where the votes are even."""


def write_ballots(folder: Path, ballots: Iterable[Ballot]) -> None:
    """Put them into a run folder, in place of those that are there; no file where there are none."""
    lines = [ballot.model_dump_json(exclude_defaults=True) + "\n" for ballot in ballots]
    file = folder / FILE_NAME
    if not lines:
        file.unlink(missing_ok=True)
        return
    partial = folder / f".{FILE_NAME}.partial"
    partial.write_text("".join(lines), "utf-8")
    partial.replace(file)


def read_ballots(folder: Path) -> Iterator[Ballot]:
    """The ballots of a run; none where every question was answered once."""
    file = folder / FILE_NAME
    if not file.is_file():
        return
    for _, line in read_lines(file):
        try:
            yield Ballot.model_validate(json.loads(line))
        except ValueError:
            continue
