"""People's votes between two models' clips, in the released record form, against the scores of runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_json, read_json_lines
from worldgauge.stats.correlation import kendall, spearman

TIE = "tie"
REPLICATES = 1000


@dataclass(frozen=True)
class Decision:
    """What the majority says of one pair of clips in one dimension."""

    dimension: str
    setting: str
    """`t` or `a`."""
    case: str
    """`<subset>/<sample>/<condition>`."""
    first: str
    second: str
    """Models."""
    winner: str
    """A model, or TIE."""


@dataclass(frozen=True)
class Counted:
    """What became of the votes."""

    decisions: tuple[Decision, ...]
    records: int
    pairs: int
    """Pairs of clips, each in each of its dimensions."""
    split: int
    """Without a majority: left out."""


def read_records(file: Path) -> list[dict[str, Any]]:
    """Records of a JSON list, or one in each line."""
    rows = [row for _, row in read_json_lines(file)] if file.suffix == ".jsonl" else read_json(file)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise WorldGaugeError(f"{file} is not a list of records")
    return rows


def count_votes(rows: Iterable[Mapping[str, Any]], where: str) -> Counted:
    """Majority of the votes on each task and dimension; where no answer has more votes than every other, none."""
    ballots: dict[tuple[str, str], list[str]] = defaultdict(list)
    about: dict[str, tuple[str, str, str, str]] = {}
    records = 0
    for number, row in enumerate(rows, start=1):
        if "dimensions" not in row:
            continue
        records += 1
        task, place = str(row.get("task_id", "")), f"{where} record {number}"
        first, second = str(row.get("model_a", "")), str(row.get("model_b", ""))
        if not task or not first or not second or first == second or not isinstance(row["dimensions"], Mapping):
            raise WorldGaugeError(f"{place} lacks task_id, two models or dimensions")
        case = "/".join(str(row.get(name, "")) for name in ("subset", "sample_id", "condition_id"))
        setting = "t" if "mbencht" in str(row.get("dataset_id", "")).lower().replace("-", "") else "a"
        pair = setting, case, min(first, second), max(first, second)
        if about.setdefault(task, pair) != pair:
            raise WorldGaugeError(f"{place}: task '{task}' was about another pair before")
        for dimension, vote in row["dimensions"].items():
            if vote not in (first, second, TIE):
                raise WorldGaugeError(f"{place}: vote '{str(vote)[:40]}'", f"expected {first}, {second} or {TIE}")
            ballots[task, str(dimension)].append(str(vote))
    decisions, split = [], 0
    for (task, dimension), given in ballots.items():
        winner = majority(given)
        split += winner is None
        if winner is not None:
            setting, case, first, second = about[task]
            decisions.append(Decision(dimension, setting, case, first, second, winner))
    return Counted(tuple(decisions), records, len(ballots), split)


def majority(votes: Sequence[str]) -> str | None:
    """The answer with more votes than every other; None for a split.

    >>> majority(["a", "a", "tie"]), majority(["a", "b", "tie"]), majority(["a"])
    ('a', None, 'a')
    """
    ranked = Counter(votes).most_common(2)
    return ranked[0][0] if len(ranked) == 1 or ranked[0][1] > ranked[1][1] else None


def win_ratios(pairs: Iterable[tuple[str, str, str]]) -> dict[str, float]:
    """Model to the share of its comparisons that it wins, from (first, second, winner); a tie is half a win for both.

    >>> win_ratios([("a", "b", "a"), ("a", "b", "tie")])
    {'a': 0.75, 'b': 0.25}
    """
    won: dict[str, float] = defaultdict(float)
    fought: Counter[str] = Counter()
    for first, second, winner in pairs:
        for model in (first, second):
            fought[model] += 1
            won[model] += 0.5 if winner == TIE else float(winner == model)
    return {model: won[model] / fought[model] for model in sorted(fought)}


@dataclass(frozen=True)
class Agreement:
    """Win ratios by votes and by scores, of one dimension and setting."""

    dimension: str
    setting: str
    pairs: int
    by_people: dict[str, float]
    by_scores: dict[str, float]
    rho: float | None
    tau: float | None
    rho_interval: tuple[float, float] | None
    tau_interval: tuple[float, float] | None


def agreement(
    decisions: Sequence[Decision],
    scores: Mapping[tuple[str, str], float],
    seed: int = 0,
    replicates: int = REPLICATES,
) -> Agreement | None:
    """Rank correlation of the models' win ratios over the pairs that both know; None where there is no such pair.

    `scores`: model and case to the score of its clip. The interval resamples pairs, 95 percent.
    """
    both = [
        (one, _better(scores[one.first, one.case], scores[one.second, one.case], one))
        for one in decisions
        if (one.first, one.case) in scores and (one.second, one.case) in scores
    ]
    if not both:
        return None
    people = [(one.first, one.second, one.winner) for one, _ in both]
    machine = [(one.first, one.second, winner) for one, winner in both]
    draws = np.random.default_rng(seed).integers(0, len(both), (replicates, len(both)))
    drawn = [_correlations([people[k] for k in draw], [machine[k] for k in draw]) for draw in draws.tolist()]
    rho, tau = _correlations(people, machine)
    ends = [_interval([pair[k] for pair in drawn]) for k in (0, 1)]
    first = both[0][0]
    return Agreement(
        first.dimension, first.setting, len(both), win_ratios(people), win_ratios(machine), rho, tau, ends[0], ends[1]
    )


def _better(first: float, second: float, one: Decision) -> str:
    return TIE if first == second else one.first if first > second else one.second


def _correlations(
    people: Sequence[tuple[str, str, str]], machine: Sequence[tuple[str, str, str]]
) -> tuple[float | None, float | None]:
    one, other = win_ratios(people), win_ratios(machine)
    models = sorted(one)
    values = [one[m] for m in models], [other[m] for m in models]
    return spearman(*values).coefficient, kendall(*values).coefficient


def _interval(values: Sequence[float | None]) -> tuple[float, float] | None:
    known = [value for value in values if value is not None]
    if len(known) < 0.9 * len(values):
        return None
    low, high = np.percentile(known, [2.5, 97.5])
    return float(low), float(high)
