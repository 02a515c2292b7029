"""What each judge said each time, out of an answer that was made from several: for the judge's own noise."""

from __future__ import annotations

import json

from worldgauge.core.asking import BALLOTS
from worldgauge.core.signal import Arrays

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
