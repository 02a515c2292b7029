"""What each judge said each time, out of an answer that was made from several: for the judge's own noise."""

from __future__ import annotations

import json
from collections.abc import Sequence

from worldgauge.core.asking import BALLOTS
from worldgauge.core.signal import Arrays
from worldgauge.judge.question_sets import JudgedQuestion, scores_by_dimension

Sitting = dict[str, str | int]
"""Question to answer."""


def sittings_in(arrays: Arrays) -> list[Sitting]:
    """One for each time that each judge was asked; none where there is a single answer."""
    if BALLOTS not in arrays:
        return []
    found: dict[tuple[str, int], Sitting] = {}
    for ballot in json.loads(arrays[BALLOTS].tobytes()):
        for judge, answers in ballot["answers"].items():
            for take, answer in enumerate(answers):
                found.setdefault((judge, take), {})[ballot["question"]] = answer
    return list(found.values())


def repeated_scores(questions: Sequence[JudgedQuestion], arrays: Arrays, dimension: str = "") -> tuple[float, ...]:
    """The score of one dimension by each sitting alone that answered a question of it: `Measurement.repeats`."""
    told = ({number: {"answer": answer} for number, answer in sitting.items()} for sitting in sittings_in(arrays))
    scores = (scores_by_dimension(questions, answers) for answers in told)
    return tuple(found[dimension] for found in scores if dimension in found)
