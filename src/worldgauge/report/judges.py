"""How far judges agree: with themselves over several takes, and with one another. From the ballots of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

import numpy as np

from worldgauge.core.ballots import Ballot, Level, read_ballots
from worldgauge.core.run_folder import Run
from worldgauge.stats.agreement import krippendorff_alpha


@dataclass(frozen=True)
class WithItself:
    """One judge that was asked several times."""

    judge: str
    takes: int
    agree: float
    """Share of the questions to which it gave the same answer every time."""
    alpha: float | None
    """Krippendorff's, over its takes; None where it is undefined."""


@dataclass(frozen=True)
class Agreement:
    """Of the judges of one signal, over the questions whose answers differ in one way."""

    signal: str
    level: Level
    questions: int
    judges: tuple[str, ...]
    with_itself: tuple[WithItself, ...]
    between: float | None
    """Krippendorff's alpha between the judges' own answers; None with one judge, or where it is undefined."""
    even: int
    """Questions without an answer, because the votes are even."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def in_words(self) -> str:
        parts = [
            f"{one.judge} says the same {one.takes} times to {one.agree:.0%} (alpha {_told(one.alpha)})"
            for one in self.with_itself
        ]
        if len(self.judges) > 1:
            parts.append(f"alpha between {len(self.judges)} judges {_told(self.between)}")
        if self.even:
            parts.append(f"votes even on {self.even}")
        return f"{self.signal}, {self.questions} {self.level} questions: {'; '.join(parts)}"


def agreements(run: Run) -> list[Agreement]:
    """Of every signal whose questions were answered more than once."""
    return agreements_of(read_ballots(run.folder))


def agreements_of(ballots: Iterable[Ballot]) -> list[Agreement]:
    groups: dict[tuple[str, Level], list[Ballot]] = {}
    for ballot in ballots:
        groups.setdefault((ballot.signal, ballot.level), []).append(ballot)
    return [_of_group(signal, level, group) for (signal, level), group in sorted(groups.items())]


def agreement_notes(runs: Sequence[Run]) -> list[str]:
    """One sentence per run and signal; none where every question was answered once."""
    several = len(runs) > 1
    return [
        f"Judges{f' of {run.name}' if several else ''}: {found.in_words()}."
        for run in runs
        for found in agreements(run)
    ]


def _of_group(signal: str, level: Level, ballots: Sequence[Ballot]) -> Agreement:
    judges = tuple(dict.fromkeys(judge for ballot in ballots for judge in ballot.answers))
    codes = _codes(ballots)
    own = [[_own_answer(ballot.answers.get(judge, ()), codes, level) for ballot in ballots] for judge in judges]
    return Agreement(
        signal,
        level,
        len(ballots),
        judges,
        tuple(filter(None, (_with_itself(judge, ballots, codes, level) for judge in judges))),
        krippendorff_alpha(own, level) if len(judges) > 1 else None,
        sum(ballot.counted is None for ballot in ballots),
    )


def _with_itself(
    judge: str, ballots: Sequence[Ballot], codes: dict[str | float, float], level: Level
) -> WithItself | None:
    said = [[codes[answer] for answer in ballot.answers.get(judge, ())] for ballot in ballots]
    several = [takes for takes in said if len(takes) > 1]
    if not several:
        return None
    takes = max(map(len, several))
    ratings = np.array([[*row, *[np.nan] * (takes - len(row))] for row in several]).T
    agree = fmean(len(set(row)) == 1 for row in several)
    return WithItself(judge, takes, agree, krippendorff_alpha(ratings, level))


def _own_answer(said: Sequence[str | float], codes: dict[str | float, float], level: Level) -> float:
    """What one judge's takes come to: the majority of names, the mean of numbers; NaN where it has none."""
    numbers = [codes[answer] for answer in said]
    if not numbers:
        return np.nan
    if level != "nominal":
        return fmean(numbers)
    (most, count), *others = Counter(numbers).most_common(2)
    return np.nan if others and others[0][1] == count else most


def _codes(ballots: Sequence[Ballot]) -> dict[str | float, float]:
    """Answer to a number: itself, or the place of a name in the alphabet."""
    answers = {answer for ballot in ballots for said in ballot.answers.values() for answer in said}
    names = sorted(answer for answer in answers if isinstance(answer, str))
    found: dict[str | float, float] = {name: float(number) for number, name in enumerate(names)}
    return found | {answer: float(answer) for answer in answers if not isinstance(answer, str)}


def _told(alpha: float | None) -> str:
    return "undefined" if alpha is None else f"{alpha:.2f}"
