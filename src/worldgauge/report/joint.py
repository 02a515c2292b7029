"""Several runs on the same cases: one table of scores, shared resamples, and which models can be told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.benchmark import BenchmarkFile, Scale
from worldgauge.core.run_folder import Columns, DefinitionFile, Run
from worldgauge.core.status import Policy, Status, counted_value
from worldgauge.report.comparable import check_comparable
from worldgauge.stats.bootstrap import Floats, Interval, cluster_replicates, percentile_interval
from worldgauge.stats.multiplicity import holm, tie_groups
from worldgauge.stats.paired import sign_flip_tests
from worldgauge.stats.power import detectable_difference

REPLICATES = 1000
PERMUTATIONS = 1999


@dataclass(frozen=True)
class Difference:
    """First minus second model in one column of the table."""

    value: float | None
    interval: Interval | None
    p_value: float | None
    """Sign-flip test over scenes for a metric; from the bootstrap's standard error for a group."""
    adjusted: float | None
    """Holm-adjusted over the metrics of this pair; None for groups, which repeat the metrics' evidence."""
    cases: int
    """Cases both models have a number for; 0 for groups."""
    wins: int
    losses: int
    detectable: float | None
    """The true difference that this many scenes with this much spread would show with 80 % power at 5 %."""


class Joint:
    """The scores of K comparable runs: `values` is (K, M, N) for M metrics and N cases, NaN where nothing counts."""

    def __init__(self, runs: Sequence[Run]) -> None:
        check_comparable(runs)
        self.runs = list(runs)
        self.columns = [run.columns() for run in runs]
        self.definitions = _definitions(runs)
        self.benchmark: BenchmarkFile = runs[0].file.benchmark
        cluster_of = {
            case: cluster
            for of_run in self.columns
            for column in of_run.values()
            for case, cluster in zip(column.cases, column.clusters, strict=True)
        }
        self.cases = sorted(cluster_of)
        self.cluster_names, codes = np.unique([cluster_of[c] for c in self.cases], return_inverse=True)
        self.clusters: NDArray[np.int64] = codes.astype(np.int64)
        self.row = {case: i for i, case in enumerate(self.cases)}
        self.values = np.full((len(runs), len(self.definitions), len(self.cases)), np.nan)
        for k, of_run in enumerate(self.columns):
            for m, definition in enumerate(self.definitions):
                if definition.id in of_run:
                    column = of_run[definition.id]
                    counted = counted_values(column, definition, self.benchmark.policy)
                    self.values[k, m, self.rows(column)] = counted

    def rows(self, column: Columns) -> list[int]:
        """Positions of a column's cases in the joint table."""
        return [self.row[case] for case in column.cases]

    @property
    def ids(self) -> list[str]:
        """Metric ids, then group ids."""
        return [d.id for d in self.definitions] + [g.id for g in self.benchmark.groups]

    @cached_property
    def scores(self) -> Floats:
        """(K, columns): the point value of every metric and group."""
        counts = np.isfinite(self.values).sum(axis=2)
        sums = np.nansum(self.values, axis=2)
        means = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
        return self._tree(means)

    @cached_property
    def replicates(self) -> Floats:
        """(K, columns, R): all models and metrics recomputed on the same resampled scenes."""
        models, metrics, cases = self.values.shape
        drawn = cluster_replicates(self.values.reshape(models * metrics, cases), self.clusters, REPLICATES)
        return self._tree(drawn.reshape(models, metrics, -1))

    def difference(self, first: int, second: int) -> dict[str, Difference]:
        """Paired differences of two models in every column."""
        paired = self.values[first] - self.values[second]
        p_values = sign_flip_tests(paired, self.clusters, PERMUTATIONS)
        adjusted = holm([_number(p) for p in p_values])
        result: dict[str, Difference] = {}
        for m, definition in enumerate(self.definitions):
            if definition.scale is not None and definition.scale.level == "model":
                # The score exists only per model, so its difference does too.
                whole = self._score_difference(first, second, m)
                result[definition.id] = replace(whole, p_value=_number(p_values[m]), adjusted=adjusted[m])
                continue
            shared = paired[m][np.isfinite(paired[m])]
            drawn = cluster_replicates(paired[m][None], self.clusters, REPLICATES)[0]
            clusters = len(np.unique(self.clusters[np.isfinite(paired[m])]))
            result[definition.id] = Difference(
                value=float(shared.mean()) if shared.size else None,
                interval=percentile_interval(drawn, clusters=clusters),
                detectable=_detectable(_standard_error(drawn, clusters), clusters),
                p_value=_number(p_values[m]),
                adjusted=adjusted[m],
                cases=int(shared.size),
                wins=int(np.count_nonzero(shared > 0)),
                losses=int(np.count_nonzero(shared < 0)),
            )
        for g, group in enumerate(self.benchmark.groups, start=len(self.definitions)):
            result[group.id] = self._score_difference(first, second, g)
        return result

    def ties(self, column: int, better: int) -> list[tuple[int, ...]]:
        """Groups of models that column cannot tell apart at a family-wise 5 %, best first; models by number.

        Every pair of models is tested with the standard error of their paired difference over shared resamples,
        Holm-adjusted over the pairs. `better` is 1 when larger is better, -1 when smaller is.
        """
        present = [k for k in range(len(self.runs)) if np.isfinite(self.scores[k, column])]
        order = sorted(present, key=lambda k: -better * self.scores[k, column])
        pairs = [(i, j) for i in range(len(order)) for j in range(i + 1, len(order))]
        tested = holm([self._score_test(order[i], order[j], column) for i, j in pairs])
        different = np.zeros((len(order), len(order)), dtype=bool)
        for (i, j), p in zip(pairs, tested, strict=True):
            different[i, j] = different[j, i] = p is not None and p < 0.05
        return [tuple(order[i] for i in group) for group in tie_groups(different)]

    def _score_difference(self, first: int, second: int, column: int) -> Difference:
        value = _number(self.scores[first, column] - self.scores[second, column])
        drawn = self.replicates[first, column] - self.replicates[second, column]
        clusters = len(self.cluster_names)
        interval = percentile_interval(drawn, clusters=clusters)
        detectable = _detectable(_standard_error(drawn, clusters), clusters)
        return Difference(value, interval, self._score_test(first, second, column), None, 0, 0, 0, detectable)

    def _score_test(self, first: int, second: int, column: int) -> float | None:
        """Two-sided p-value of the difference of two scores: Student's t with the bootstrap's standard error."""
        from scipy.special import stdtr

        value = self.scores[first, column] - self.scores[second, column]
        clusters = len(self.cluster_names)
        error = _standard_error(self.replicates[first, column] - self.replicates[second, column], clusters)
        if error is None or not np.isfinite(value):
            return None
        return float(2 * stdtr(clusters - 1, -abs(value) / error)) if error > 0 else float(value == 0)

    def _tree(self, leaves: Floats) -> Floats:
        """(K, M, ...) -> (K, M + groups, ...): scale what is scaled per model, then the weighted means upward."""
        parts: dict[str, Floats] = {}
        for m, definition in enumerate(self.definitions):
            scale = definition.scale
            column = leaves[:, m]
            parts[definition.id] = scaled(column, scale) if scale and scale.level == "model" else column
        for group in self.benchmark.groups:
            parts[group.id] = weighted_mean(parts, group.of, leaves[:, 0] if leaves.shape[1] else leaves.sum(axis=1))
        shape = (leaves.shape[0], len(parts), *leaves.shape[2:])
        return np.stack(list(parts.values()), axis=1) if parts else np.empty(shape)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _standard_error(drawn: Floats, clusters: int) -> float | None:
    """Of a bootstrap over n clusters; the factor undoes that a resample spreads like n - 1 of them."""
    finite = drawn[np.isfinite(drawn)]
    return float(finite.std()) * sqrt(clusters / (clusters - 1)) if finite.size and clusters >= 2 else None


def _detectable(error: float | None, clusters: int) -> float | None:
    return None if error is None else error * sqrt(clusters) * _detectable_per_spread(clusters)


@lru_cache(maxsize=1024)
def _detectable_per_spread(clusters: int) -> float:
    return detectable_difference(1.0, clusters)


def scaled(numbers: Floats, scale: Scale) -> Floats:
    """`Scale.__call__` for arrays; NaN stays NaN."""
    (a, b), (low, high) = scale.source, scale.target
    scores = low + (numbers - a) / (b - a) * (high - low)
    return np.clip(scores, min(low, high), max(low, high)) if scale.clip else scores


def weighted_mean(parts: Mapping[str, Floats], weights: Mapping[str, float], like: Floats) -> Floats:
    """The weighted mean of a group's members; NaN where a member is absent, because a mean over fewer is another."""
    if any(member not in parts for member in weights):
        return np.full_like(like, np.nan)
    return np.asarray(sum(w * parts[m] for m, w in weights.items()) / sum(weights.values()))


def counted_values(column: Columns, definition: DefinitionFile, policy: Policy) -> Floats:
    """Per case of a column the number that enters the mean under the benchmark's policy, NaN where none does."""
    substitutes = {}
    for status in Status:
        value = counted_value(status, None, policy, definition.worst)
        substitutes[status] = np.nan if value is None else value
    return np.array(
        [v if s is Status.OK else substitutes[s] for s, v in zip(column.statuses, column.values, strict=True)],
        dtype=np.float64,
    )


def _definitions(runs: Sequence[Run]) -> list[DefinitionFile]:
    """Every metric of any run, in the order of the benchmark."""
    known = {d.id: d for run in reversed(runs) for d in run.file.definitions}
    order = {use.id: i for i, use in enumerate(runs[0].file.benchmark.metrics)}
    return sorted(known.values(), key=lambda d: (order.get(d.id, len(order)), d.id))
