"""People's votes between two models' clips of one prompt, and how far scores rank as people do.

Source: arXiv 2606.11129, 4.4 and Appendix D: a win is 1, a tie 0.5, a loss 0; first the mean over people for each pair
of clips, then the mean over a model's pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_table
from worldgauge.stats.alignment import Vote, preference_rates
from worldgauge.stats.bootstrap import Interval
from worldgauge.stats.correlation import kendall, pearson, spearman

COLUMNS: Final = ("prompt", "first", "second", "person", "choice")
CHOICES: Final = {"first": 1.0, "tie": 0.5, "second": 0.0}
REPLICATES: Final = 2000


@dataclass(frozen=True)
class Pair:
    """All votes on one pair of clips."""

    prompt: str
    vote: Vote


@dataclass(frozen=True)
class Alignment:
    """How scores rank against people."""

    human: Mapping[str, float]
    """S_human of every model."""
    human_intervals: Mapping[str, Interval]
    auto: Mapping[str, float]
    """Scores of the models that have both."""
    spearman: float | None
    kendall: float | None
    pearson: float | None
    intervals: Mapping[str, Interval | None]
    """95 % of each coefficient, resampling prompts."""
    prompts: int
    pairs: int
    labels: int
    rate_sum: float
    """Of S_human; where every pair of models was compared as often, half the number of models."""

    def rows(self) -> list[dict[str, Any]]:
        """A row per model: S_human, score, both ranks and their difference."""
        auto_rank, human_rank = _ranks(self.auto), _ranks({name: self.human[name] for name in self.auto})
        return [
            {
                "model": name,
                "human": self.human[name],
                "human_interval": self.human_intervals[name],
                "auto": self.auto.get(name),
                "human_rank": human_rank.get(name),
                "auto_rank": auto_rank.get(name),
                "rank_gap": human_rank[name] - auto_rank[name] if name in auto_rank else None,
            }
            for name in sorted(self.human, key=lambda name: -self.human[name])
        ]


def read_votes(file: Path) -> list[Pair]:
    """A CSV with a row per label: prompt, first and second model, person, and `first`, `second` or `tie`."""
    found: dict[tuple[str, str, str], dict[str, float]] = {}
    for number, row in enumerate(read_table(file, COLUMNS), start=1):
        where = f"{file} vote {number}"
        prompt, first, second, person, choice = (row[name].strip() for name in COLUMNS)
        if not all((prompt, first, second, person)):
            raise WorldGaugeError(f"{where}: a field is empty")
        if first == second:
            raise WorldGaugeError(f"{where}: both sides are {first}")
        if choice not in CHOICES:
            raise WorldGaugeError(f"{where}: choice '{choice}'", "write first, second or tie")
        turned = second < first
        people = found.setdefault((prompt, min(first, second), max(first, second)), {})
        if person in people:
            raise WorldGaugeError(f"{where}: person '{person}' voted on these clips before")
        people[person] = 1 - CHOICES[choice] if turned else CHOICES[choice]
    if not found:
        raise WorldGaugeError(f"{file} holds no vote")
    return [Pair(prompt, Vote(a, b, tuple(people.values()))) for (prompt, a, b), people in found.items()]


def aligned(pairs: Sequence[Pair], auto: Mapping[str, float], replicates: int = REPLICATES, seed: int = 0) -> Alignment:
    """S_human, its rank correlation with scores, and intervals over resampled prompts."""
    human = preference_rates([pair.vote for pair in pairs])
    both = [name for name in human if name in auto]
    if len(both) < 2:
        known = ", ".join(sorted(auto)) or "none"
        raise WorldGaugeError(f"fewer than two models have votes and scores (scores: {known})", "name them alike")
    prompts = sorted({pair.prompt for pair in pairs})
    sums, counts = _by_prompt(pairs, prompts, list(human))
    drawn = np.random.default_rng(seed).multinomial(len(prompts), np.full(len(prompts), 1 / len(prompts)), replicates)
    with np.errstate(invalid="ignore", divide="ignore"):
        rates = (drawn @ sums) / (drawn @ counts)
    scores = [auto[name] for name in both]
    places = [list(human).index(name) for name in both]
    point = {"spearman": spearman, "kendall": kendall, "pearson": pearson}
    own = {name: test([human[one] for one in both], scores).coefficient for name, test in point.items()}
    enough = len(prompts) > 1
    drawn_rates = rates[np.isfinite(rates[:, places]).all(axis=1)][:, places]
    spread = {
        name: _interval(coefficients(name, drawn_rates, np.asarray(scores)).tolist()) if enough else None
        for name in point
    }
    return Alignment(
        human,
        {name: _interval(rates[:, k].tolist()) or (human[name], human[name]) for k, name in enumerate(human)},
        {name: auto[name] for name in both},
        own["spearman"],
        own["kendall"],
        own["pearson"],
        spread,
        len(prompts),
        len(pairs),
        sum(len(pair.vote.outcomes) for pair in pairs),
        sum(human.values()),
    )


def coefficients(name: str, rows: NDArray[np.float64], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """A coefficient of every row (R, M) with the scores (M,), all rows at once; NaN where a row is constant.

    >>> coefficients("kendall", np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([1.0, 3.0, 2.0, 4.0])).round(6).tolist()
    [0.666667]
    """
    from scipy.stats import rankdata

    if name == "kendall":
        first, second = np.triu_indices(rows.shape[1], 1)
        a, b = np.sign(rows[:, first] - rows[:, second]), np.sign(scores[first] - scores[second])
        # Tau-b: pairs that are tied on one side count on the other.
        top, bottom = a @ b, np.sqrt((a != 0).sum(axis=1) * (b != 0).sum())
    else:
        if name == "spearman":
            rows, scores = rankdata(rows, axis=1), rankdata(scores)
        x, y = rows - rows.mean(axis=1, keepdims=True), scores - scores.mean()
        top, bottom = x @ y, np.sqrt((x**2).sum(axis=1) * (y**2).sum())
    return np.asarray(np.divide(top, bottom, out=np.full(len(rows), np.nan), where=bottom > 0), np.float64)


def _by_prompt(
    pairs: Sequence[Pair], prompts: Sequence[str], models: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(prompts, models) twice: sums of outcomes, and numbers of comparisons."""
    sums, counts = (np.zeros((len(prompts), len(models))) for _ in range(2))
    row = {prompt: k for k, prompt in enumerate(prompts)}
    column = {model: k for k, model in enumerate(models)}
    for pair in pairs:
        mean = sum(pair.vote.outcomes) / len(pair.vote.outcomes)
        for model, value in ((pair.vote.first, mean), (pair.vote.second, 1 - mean)):
            sums[row[pair.prompt], column[model]] += value
            counts[row[pair.prompt], column[model]] += 1
    return sums, counts


def _interval(values: Sequence[float | None]) -> Interval | None:
    known = np.array([value for value in values if value is not None and np.isfinite(value)])
    if known.size < 2:
        return None
    low, high = np.percentile(known, [2.5, 97.5])
    return float(low), float(high)


def _ranks(values: Mapping[str, float]) -> dict[str, int]:
    ordered = sorted(values, key=lambda name: -values[name])
    return {name: 1 + sum(values[other] > values[name] for other in ordered) for name in ordered}
