"""How well scores follow people: two-alternative forced choice, win ratios, preference rates.

Source: WorldScore (2AFC agreement), MBench (win ratios from majority votes, ties dropped),
Source: WorldOlympiad (preference rate with ties as half), MemoBench (`agreement.cohen_kappa`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from worldgauge.core.errors import WorldGaugeError


@dataclass(frozen=True)
class Vote:
    """What annotators said about one pair of videos."""

    first: str
    """Model of the first video."""
    second: str
    outcomes: tuple[float, ...]
    """One number per annotator: 1 the first is better, 0 the second, 0.5 a tie."""

    def __post_init__(self) -> None:
        if self.first == self.second:
            raise WorldGaugeError(f"a vote compares '{self.first}' with itself")
        if not self.outcomes or any(outcome not in (0, 0.5, 1) for outcome in self.outcomes):
            raise WorldGaugeError(f"votes are 1, 0.5 or 0, got {self.outcomes}")


def two_afc_agreement(preferred_first: ArrayLike, score_first: ArrayLike, score_second: ArrayLike) -> float:
    """Mean over pairs of the share of people who chose the video the metric scores higher; 0.5 for equal scores.

    `preferred_first` (P,) is the share of participants who chose the first video of each pair.

    >>> two_afc_agreement([0.75, 0.25], [2.0, 1.0], [1.0, 2.0])
    0.75
    """
    share, first, second = (np.asarray(x, dtype=np.float64) for x in (preferred_first, score_first, score_second))
    if share.ndim != 1 or not share.shape == first.shape == second.shape or share.size == 0:
        raise WorldGaugeError("2AFC agreement needs three rows of equal length")
    if not (np.all((share >= 0) & (share <= 1)) and np.isfinite(first).all() and np.isfinite(second).all()):
        raise WorldGaugeError("2AFC agreement needs shares in [0, 1] and finite scores", "leave unscored pairs out")
    agreement = np.where(first > second, share, np.where(first < second, 1 - share, 0.5))
    return float(agreement.mean())


def two_afc_upper_bound(preferred_first: ArrayLike) -> float:
    """The agreement of a metric that always sides with the majority.

    >>> two_afc_upper_bound([0.75, 0.25])
    0.75
    """
    share = np.asarray(preferred_first, dtype=np.float64)
    return float(np.maximum(share, 1 - share).mean())


def preference_rates(votes: Sequence[Vote]) -> dict[str, float]:
    """Per model, the mean over its comparisons of the annotators' mean outcome; a tie is half a win.

    >>> preference_rates([Vote("a", "b", (1, 0.5))])
    {'a': 0.75, 'b': 0.25}
    """
    outcomes: dict[str, list[float]] = {}
    for vote in votes:
        mean = sum(vote.outcomes) / len(vote.outcomes)
        outcomes.setdefault(vote.first, []).append(mean)
        outcomes.setdefault(vote.second, []).append(1 - mean)
    return {model: sum(found) / len(found) for model, found in sorted(outcomes.items())}


def win_ratios(votes: Sequence[Vote]) -> dict[str, float | None]:
    """Per model, wins over decided comparisons. A pair is decided by its most frequent answer.

    A pair whose most frequent answer is not unique, or is "tie", is dropped. None: no decided comparison.

    >>> win_ratios([Vote("a", "b", (1, 1, 0)), Vote("b", "a", (1, 0.5, 0))])
    {'a': 1.0, 'b': 0.0}
    """
    wins: Counter[str] = Counter()
    decided: Counter[str] = Counter()
    for vote in votes:
        winner = majority(vote)
        if winner is not None:
            wins[winner] += 1
            decided.update((vote.first, vote.second))
    models = sorted({model for vote in votes for model in (vote.first, vote.second)})
    return {model: wins[model] / decided[model] if decided[model] else None for model in models}


def majority(vote: Vote) -> str | None:
    """The model most annotators chose, or None."""
    ranked = Counter(vote.outcomes).most_common()
    if len(ranked) > 1 and ranked[0][1] == ranked[1][1]:
        return None
    return {1.0: vote.first, 0.0: vote.second}.get(float(ranked[0][0]))


def score_votes(scores: dict[str, ArrayLike]) -> list[Vote]:
    """A metric's scores per model over the same cases (NaN: absent) as votes, so that `win_ratios` applies to both.

    >>> win_ratios(score_votes({"a": [3.0, 1.0], "b": [2.0, 2.0]}))
    {'a': 0.5, 'b': 0.5}
    """
    rows = {model: np.asarray(row, dtype=np.float64) for model, row in scores.items()}
    models = sorted(rows)
    votes = []
    for i, first in enumerate(models):
        for second in models[i + 1 :]:
            for a, b in zip(rows[first], rows[second], strict=True):
                if np.isfinite(a) and np.isfinite(b):
                    votes.append(Vote(first, second, (float((np.sign(a - b) + 1) / 2),)))
    return votes
