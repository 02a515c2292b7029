"""The physical score of verdicts about rules, in the three ways that code, tables and paper have.

A verdict is about one rule: is it related to the case, and does the clip comply? A rule that is not related was not
asked about, and counts nowhere: not asked is not zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

DIMENSIONS = ("mechanics", "thermotics", "material")
NOTHING_RELATED = 0.5
"""The released score of a case to which no rule is related."""


@dataclass(frozen=True)
class Verdict:
    """What was judged about one rule."""

    rule: str
    dimension: str
    related: bool | None
    """None: the judge could not be read."""
    compliant: bool | None = None
    confidence: float = 0.0


@dataclass(frozen=True)
class CaseSummary:
    """`physical` of a judge file."""

    score: float
    dimensions: Mapping[str, float | None]
    asked: int
    related: int
    compliant: int


def case_summary(verdicts: Sequence[Verdict]) -> CaseSummary:
    """Definition a: mean over the related rules of the confidence where the clip complies, else 0.

    Source: released code at commit bb2e240.

    >>> case_summary([Verdict("gravity", "mechanics", True, True, 0.8), Verdict("impact", "mechanics", True)]).score
    0.4
    """
    related = [verdict for verdict in verdicts if verdict.related is True]
    return CaseSummary(
        _credit(related) if related else NOTHING_RELATED,
        {name: _credit(own) if (own := [v for v in related if v.dimension == name]) else None for name in DIMENSIONS},
        len(verdicts),
        len(related),
        sum(verdict.compliant is True for verdict in related),
    )


def _credit(related: Sequence[Verdict]) -> float:
    return sum(verdict.confidence if verdict.compliant is True else 0.0 for verdict in related) / len(related)


@dataclass(frozen=True)
class Counts:
    """Verdicts by kind."""

    irrelevant: int = 0
    correct: int = 0
    incorrect: int = 0
    unknown: int = 0

    @property
    def judged(self) -> int:
        """What the rate rests on."""
        return self.correct + self.incorrect

    @property
    def rate(self) -> float | None:
        """Definition b: correct over judged, pooled over whatever was counted; None where nothing was judged."""
        return self.correct / self.judged if self.judged else None

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.irrelevant + other.irrelevant,
            self.correct + other.correct,
            self.incorrect + other.incorrect,
            self.unknown + other.unknown,
        )


def counted(related: Any, compliant: Any) -> Counts:
    """The kind of one verdict, by truth values alone.

    >>> counted(True, False), counted(None, None).unknown
    (Counts(irrelevant=0, correct=0, incorrect=1, unknown=0), 1)
    """
    if related is False:
        return Counts(irrelevant=1)
    if related is True and compliant is True:
        return Counts(correct=1)
    if related is True and compliant is False:
        return Counts(incorrect=1)
    return Counts(unknown=1)


def pooled(verdicts: Iterable[Verdict]) -> Counts:
    """The counts of many verdicts together.

    Source: released code at commit bb2e240, its summary; the tables of arXiv 2606.11129 fit it.

    >>> pooled([Verdict("gravity", "mechanics", True, True), Verdict("impact", "mechanics", True, False)]).rate
    0.5
    """
    total = Counts()
    for verdict in verdicts:
        total += counted(verdict.related, verdict.compliant)
    return total


def subset_mean(rates: Iterable[float | None]) -> float | None:
    """Definition c, the text of the paper: the mean over the subsets that have a rate.

    >>> subset_mean([0.9, None, 0.3])
    0.6
    """
    known = [rate for rate in rates if rate is not None]
    return sum(known) / len(known) if known else None
