"""The only aggregation: numbers of cases become the scores of a benchmark's tree.

A metric's score is the weighted mean over its cases, sum of weight times value over sum of weights, then its scale. A
group's score is a monotone function of its members' scores. The table, the page, compare, official files and LaTeX all
read what is computed here.

Arrays have the metric as their first axis and anything behind it, so one tree serves a run, its resamples, and the
worst and best that could have been where nothing was measured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.benchmark import BenchmarkFile, Group
from worldgauge.core.reducers import OVER_CASES, OVER_MEMBERS, Floats
from worldgauge.core.run_file import DefinitionFile
from worldgauge.core.run_folder import Columns
from worldgauge.core.scale import Scale
from worldgauge.core.status import Policy, Status, counted_value, model_can_cause


@dataclass(frozen=True, eq=False)
class CaseNumbers:
    """What the records of a column add to its mean."""

    values: Floats
    """The number of each record, NaN where it adds none."""
    weights: Floats
    unknown: NDArray[np.int64]
    """Records without a number, for a reason that a model can cause."""
    unknown_weights: Floats
    """What each of these weighs in bounds."""


def case_numbers(column: Columns, definition: DefinitionFile, policy: Policy) -> CaseNumbers:
    """The numbers of a column, and the records whose number nobody knows."""
    scale = definition.scale
    # A policy's number is a score; what is scaled only after the mean must be put in as the raw value behind it.
    to_raw: Callable[[float], float] = (
        scale.inverse if scale is not None and scale.level == "model" else lambda score: score
    )

    def counts_as(status: Status, code: str) -> float | None:
        # A number in the policy is a score, and no score is known behind a value without its scale.
        worst = definition.worst
        return None if definition.unscaled else counted_value(status, None, policy, worst, to_raw, code)

    substitutes: dict[tuple[Status, str], float | None] = {}
    values, unknown = column.values.copy(), []
    for i in [i for i, status in enumerate(column.statuses) if status is not Status.OK]:
        why = column.statuses[i], column.codes[i]
        if why not in substitutes:
            substitutes[why] = counts_as(*why)
        number = substitutes[why]
        values[i] = np.nan if number is None else number
        if number is None and model_can_cause(*why) and policy.rule(*why) != "leave":
            unknown.append(i)
    known = column.weights[np.isfinite(column.weights)]
    # A clip without frames of its own, because it is absent, counts like an ordinary one.
    usual = float(known.mean()) if known.size else 1.0
    at = np.array(unknown, dtype=np.int64)
    own, most = column.weights[at], OVER_CASES[definition.reduce].unknown(known)
    return CaseNumbers(
        values,
        np.where(np.isfinite(column.weights), column.weights, usual),
        at,
        np.where(np.isfinite(own), own, most),
    )


def by_case(rows: NDArray[np.int64], values: Floats, weights: Floats, cases: int) -> tuple[Floats, Floats]:
    """Takes of one case joined: the weighted mean of those that count, and the mean weight of all; NaN and 0 where none
    counts. So measuring one more take moves the case's value and not what it weighs.

    >>> by_case(np.array([0, 0, 1]), np.array([1.0, 3.0, np.nan]), np.ones(3), 2)
    (array([ 2., nan]), array([1., 0.]))
    """
    present = ~np.isnan(values)
    at, counted = rows[present], np.where(present, weights, 0.0)[present]
    total = np.bincount(at, counted, cases)
    sums = np.bincount(at, counted * values[present], cases)
    takes = np.bincount(at, minlength=cases)
    all_takes = np.bincount(rows, minlength=cases)
    # A single take is handed on as it is: a product and a quotient may lose its last bit.
    single = np.full(cases, np.nan)
    single[at] = values[present]
    joined = np.divide(sums, total, out=np.full(cases, np.nan), where=total > 0)
    mean_weight = np.divide(np.bincount(rows, weights, cases), all_takes, out=np.zeros(cases), where=takes > 0)
    return np.where(takes == 1, single, joined), mean_weight


def weighted_means(values: Floats, weights: Floats) -> Floats:
    """Mean over the last axis, (..., N) to (...); NaN is absent, and NaN comes out where nothing is there.

    >>> weighted_means(np.array([[1.0, 4.0, np.nan]]), np.array([[1.0, 2.0, 9.0]]))
    array([3.])
    """
    means = np.full(values.shape[:-1], np.nan)
    for at in np.ndindex(means.shape):
        means[at] = _weighted_mean(values[at], weights[at])
    return means


def _weighted_mean(values: Floats, weights: Floats) -> float:
    present = ~np.isnan(values)
    values, weights = values[present], weights[present]
    if not values.size:
        return np.nan
    # Products and quotients of equal weights would only cost the last bit.
    return float(values.mean()) if (weights == weights[0]).all() else float((weights * values).sum() / weights.sum())


class Tree:
    """A benchmark's metrics and groups, in the order in which they are shown: metrics first, then groups upward."""

    def __init__(self, benchmark: BenchmarkFile, definitions: Sequence[DefinitionFile]) -> None:
        self.definitions = list(definitions)
        self.groups = list(benchmark.groups)
        self.ids = [d.id for d in self.definitions] + [g.id for g in self.groups]
        self._row = {name: i for i, name in enumerate(self.ids)}
        self._unscaled = [i for i, d in enumerate(self.definitions) if d.unscaled]

    def combine(self, leaves: Floats) -> Floats:
        """(M, ...) means of the metrics to (M + G, ...) scores: scaled where the mean is scaled, then up the tree."""
        return self._climb(self._scaled(leaves))

    def combine_replicates(self, drawn: Floats) -> Floats:
        """The same of resampled means. A group with a member that no resample tells anything of, because fewer than two
        clusters have a number there, has no spread either: its resamples are NaN, whatever its other members are."""
        scores = self.combine(drawn)
        silent = np.asarray(~np.isfinite(drawn).any(axis=-1))
        for group in self.groups:
            rows = self.metrics_of(group.id)
            if rows:
                scores[self._row[group.id]][silent[rows].any(axis=0)] = np.nan
        return scores

    def bounds(self, known: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """The lowest and the highest scores, (M, ...) means of what is known and at both ends to (M + G, ...) twice.

        A group rises with every member, so its ends are made of theirs; one that would be made of a negative member has
        no end there, and is infinite. What is known is always within: where only the mean is scaled, a case may lie
        beyond the ends of the scale.
        """
        point, lowest, highest = self._scaled(known), self._scaled(low), self._scaled(high)
        ends = self._climb(np.fmin(lowest, point)), self._climb(np.fmax(highest, point))
        absent = np.isnan(self._climb(np.where(np.isnan(lowest), np.nan, 1.0)))
        below, above = (np.isnan(end) & ~absent for end in ends)
        return np.where(below, -np.inf, ends[0]), np.where(above, np.inf, ends[1])

    def _scaled(self, leaves: Floats) -> Floats:
        rows = [
            scaled(row, d.scale) if d.scale is not None and d.scale.level == "model" else row
            for row, d in zip(leaves, self.definitions, strict=True)
        ]
        return np.stack(rows) if rows else leaves

    def _climb(self, leaves: Floats) -> Floats:
        """A group of which a member is absent is NaN: over fewer members it would be another score. So is one with a
        member that has no scale, though that member keeps its own number."""
        scores = np.full((len(self.ids), *leaves.shape[1:]), np.nan)
        scores[: len(leaves)] = leaves
        scores[self._unscaled] = np.nan
        for group in self.groups:
            if all(member in self._row for member in group.of):
                members = np.stack([scores[self._row[member]] for member in group.of])
                scores[self._row[group.id]] = OVER_MEMBERS[group.reduce](members, np.array(list(group.of.values())))
        scores[self._unscaled] = leaves[self._unscaled]
        return scores

    def metrics_of(self, name: str) -> list[int]:
        """Rows of the metrics a score rests on; a member that was not run has none."""
        row = self._row.get(name)
        if row is None:
            return []
        if row < len(self.definitions):
            return [row]
        group = self.groups[row - len(self.definitions)]
        return list(dict.fromkeys(found for member in group.of for found in self.metrics_of(member)))

    def higher_is_better(self, name: str) -> bool | None:
        """Which way is better. A group whose members do not agree has no better direction."""
        row = self._row.get(name)
        if row is None:
            return None
        if row < len(self.definitions):
            return direction(self.definitions[row])
        found = {self.higher_is_better(member) for member in self.groups[row - len(self.definitions)].of}
        return found.pop() if len(found) == 1 else None

    def absent_members(self, group: Group, scores: Mapping[str, float | None]) -> list[str]:
        """Members without a score."""
        unscaled = {self.ids[row] for row in self._unscaled}
        return [member for member in group.of if scores.get(member) is None or member in unscaled]


def ends_of(definition: DefinitionFile) -> tuple[float, float]:
    """The numbers of a case with which its column is lowest and highest; infinite where nothing bounds it.

    Where the scale is clipped, a case has the worst or the best score; where not, the worst or the best its metric can
    give.
    """
    scale = definition.scale
    if scale is None:
        return definition.bounds
    if scale.clip:
        ends = scale.target if scale.level == "case" else scale.source
    else:
        raw = definition.bounds if scale.source[0] < scale.source[1] else definition.bounds[::-1]
        ends = (scale(raw[0]), scale(raw[1])) if scale.level == "case" else raw
    return ends if scale.target[0] < scale.target[1] else ends[::-1]


def direction(definition: DefinitionFile) -> bool | None:
    """A scale's first target is the worst score; without a scale the metric says which way is better."""
    if definition.scale is not None:
        return definition.scale.target[1] > definition.scale.target[0]
    return definition.higher_is_better


def case_direction(definition: DefinitionFile) -> bool | None:
    """Which way is better for a case's value, which is not on the scale yet where only the mean is scaled."""
    by_model = definition.scale is not None and definition.scale.level == "model"
    return definition.higher_is_better if by_model else direction(definition)


def score_unit(definition: DefinitionFile) -> str:
    """The unit of a model's score: a score on a scale has none."""
    return definition.unit if definition.scale is None else ""


def case_unit(definition: DefinitionFile) -> str:
    """The unit of a case's value, which is not on the scale yet where only the mean is scaled."""
    return definition.unit if definition.scale is None or definition.scale.level == "model" else ""


def scaled(numbers: Floats, scale: Scale) -> Floats:
    """`Scale.__call__` for arrays; NaN stays NaN."""
    (a, b), (low, high) = scale.source, scale.target
    numbers = numbers if scale.digits is None else np.round(numbers, scale.digits)
    scores = low + (numbers - a) / (b - a) * (high - low)
    return np.clip(scores, min(low, high), max(low, high)) if scale.clip else np.asarray(scores)
