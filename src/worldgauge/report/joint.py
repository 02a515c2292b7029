"""Several runs on the same cases: one table of scores, shared resamples, and which models can be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.aggregate import Tree, direction, weighted_means
from worldgauge.core.benchmark import BenchmarkFile
from worldgauge.core.run_file import DefinitionFile
from worldgauge.core.run_folder import Columns, Run
from worldgauge.report.case_table import clusters_of, tabulate
from worldgauge.report.comparable import check_comparable
from worldgauge.report.difference import LEVEL, PERMUTATIONS, Difference, is_of_cases, verdict_of, with_bounds
from worldgauge.stats.bootstrap import Floats, cluster_replicates, percentile_interval
from worldgauge.stats.multiplicity import holm, tie_groups
from worldgauge.stats.paired import sign_flip_tests
from worldgauge.stats.power import detectable_difference

REPLICATES = 1000
Bounds = tuple[float | None, float | None]
FEWER_REPLICATES = 400
"""Resamples of a breakdown, which has many parts."""


class Joint:
    """The scores of K comparable runs: `values` is (K, M, N) for M metrics and N cases, NaN where nothing counts."""

    def __init__(self, runs: Sequence[Run]) -> None:
        check_comparable(runs)
        self.runs = list(runs)
        self.resamples = REPLICATES
        self.columns = [run.columns() for run in runs]
        self.definitions = _definitions(runs)
        self.benchmark: BenchmarkFile = runs[0].file.benchmark
        self.tree = Tree(self.benchmark, self.definitions)
        cluster_of = clusters_of(self.columns)
        tables = [
            tabulate(of_run, self.definitions, run.file.policy_of, cases=cluster_of)
            for run, of_run in zip(self.runs, self.columns, strict=True)
        ]
        self.cases, self.clusters = tables[0].cases, tables[0].clusters
        self.cluster_names = tables[0].cluster_names
        self.row = {case: i for i, case in enumerate(self.cases)}
        self.values = np.stack([table.values for table in tables])
        self.weights = np.stack([table.weights for table in tables])
        self.unknown = np.stack([table.unknown for table in tables])
        """(K, M) whether a model has clips without a number in a metric, for a reason that a model can cause."""
        self.at_ends = [
            _stacked([table.at_end(end) for table in tables]) for end in (False, True) if self.unknown.any()
        ]
        """Values and weights with all of these where their column is lowest, and highest; empty without any."""
        self._withheld: NDArray[np.bool_] | None = None

    def rows(self, column: Columns) -> list[int]:
        """Positions of a column's cases in the joint table."""
        return [self.row[case] for case in column.cases]

    def part(self, chosen: NDArray[np.bool_]) -> Joint:
        """The same runs over some of the cases, with fewer resamples: for breakdowns.

        A score that the whole does not have, a part does not have either.
        """
        part = copy(self)
        part._withheld = ~np.isfinite(self.scores)
        for cached in ("scores", "replicates", "bounds"):
            part.__dict__.pop(cached, None)
        part.cases = [case for case, kept in zip(self.cases, chosen, strict=True) if kept]
        part.row = {case: i for i, case in enumerate(part.cases)}
        names, part.clusters = np.unique(self.clusters[chosen], return_inverse=True)
        part.cluster_names = [self.cluster_names[i] for i in names]
        part.values, part.weights = self.values[..., chosen], self.weights[..., chosen]
        part.at_ends = [(values[..., chosen], weights[..., chosen]) for values, weights in self.at_ends]
        part.resamples = FEWER_REPLICATES
        return part

    def scenes(self, model: int, column: int) -> int:
        """Scenes in which a model has a number for a metric that a column rests on."""
        rows = self.tree.metrics_of(self.ids[column])
        present = np.isfinite(self.values[model, rows]).any(axis=0)
        return len(np.unique(self.clusters[present]))

    @property
    def ids(self) -> list[str]:
        """Metric ids, then group ids."""
        return self.tree.ids

    @cached_property
    def scores(self) -> Floats:
        """(K, columns): the point value of every metric and group."""
        scores = self._combined(weighted_means(self.values, self.weights))
        return scores if self._withheld is None else np.where(self._withheld, np.nan, scores)

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """(K, columns) twice: the lowest and the highest that every score could be."""
        if not self.at_ends:
            return self.scores, self.scores
        known, *ends = (
            np.moveaxis(weighted_means(*pair), 1, 0) for pair in ((self.values, self.weights), *self.at_ends)
        )
        low, high = (end.T for end in self.tree.bounds(known, *ends))
        return low, high

    def open_bounds(self, model: int) -> dict[str, Bounds]:
        """Columns of a model that could be something else, each with what: an end without a number is not bounded."""
        low, high = (end[model] for end in self.bounds)
        return {name: (_number(low[i]), _number(high[i])) for i, name in enumerate(self.ids) if low[i] < high[i]}

    @cached_property
    def replicates(self) -> Floats:
        """(K, columns, R): all models and metrics recomputed on the same resampled scenes."""
        models, metrics, cases = self.values.shape
        flat, weights = (array.reshape(models * metrics, cases) for array in (self.values, self.weights))
        drawn = cluster_replicates(flat, self.clusters, self.resamples, weights=weights)
        return np.moveaxis(self.tree.combine_replicates(np.moveaxis(drawn.reshape(models, metrics, -1), 1, 0)), 0, 1)

    def difference(self, first: int, second: int) -> dict[str, Difference]:
        """Paired differences of two models in every column."""
        paired = self.values[first] - self.values[second]
        p_values = sign_flip_tests(paired, self.clusters, PERMUTATIONS)
        adjusted = holm([_number(p) for p in p_values])
        result: dict[str, Difference] = {}
        for m, definition in enumerate(self.definitions):
            if not is_of_cases(definition):
                # The score exists only per model, so its difference does too.
                whole = self._score_difference(first, second, m)
                tested = replace(whole, p_value=_number(p_values[m]), adjusted=adjusted[m])
                result[definition.id] = replace(tested, verdict=verdict_of(tested))
                continue
            shared = paired[m][np.isfinite(paired[m])]
            drawn = cluster_replicates(paired[m][None], self.clusters, REPLICATES)[0]
            clusters = len(np.unique(self.clusters[np.isfinite(paired[m])]))
            way = direction(definition)
            # Positive where the first model is better, nothing where neither way is.
            gains = shared * {True: 1, False: -1, None: 0}[way]
            found = Difference(
                value=float(shared.mean()) if shared.size else None,
                interval=percentile_interval(drawn, clusters=clusters),
                detectable=_detectable(_standard_error(drawn, clusters), clusters),
                p_value=_number(p_values[m]),
                adjusted=adjusted[m],
                cases=int(shared.size),
                wins=int(np.count_nonzero(gains > 0)),
                losses=int(np.count_nonzero(gains < 0)),
                higher_is_better=way,
            )
            result[definition.id] = replace(found, verdict=verdict_of(found))
        for g, group in enumerate(self.benchmark.groups, start=len(self.definitions)):
            result[group.id] = self._score_difference(first, second, g)
        return with_bounds(self, first, second, result)

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
            different[i, j] = different[j, i] = p is not None and p < LEVEL
        return [tuple(order[i] for i in group) for group in tie_groups(different)]

    def _score_difference(self, first: int, second: int, column: int) -> Difference:
        value = _number(self.scores[first, column] - self.scores[second, column])
        drawn = self.replicates[first, column] - self.replicates[second, column]
        clusters = len(self.cluster_names)
        interval = percentile_interval(drawn, clusters=clusters)
        detectable = _detectable(_standard_error(drawn, clusters), clusters)
        way = self.tree.higher_is_better(self.ids[column])
        return Difference(value, interval, self._score_test(first, second, column), None, 0, 0, 0, detectable, way)

    def _score_test(self, first: int, second: int, column: int) -> float | None:
        """Two-sided p-value of the difference of two scores: Student's t with the bootstrap's standard error."""
        from scipy.special import stdtr

        value = self.scores[first, column] - self.scores[second, column]
        clusters = len(self.cluster_names)
        error = _standard_error(self.replicates[first, column] - self.replicates[second, column], clusters)
        if error is None or not np.isfinite(value):
            return None
        return float(2 * stdtr(clusters - 1, -abs(value) / error)) if error > 0 else float(value == 0)

    def _combined(self, leaves: Floats) -> Floats:
        """(K, M, ...) -> (K, M + groups, ...), up the tree."""
        return np.moveaxis(self.tree.combine(np.moveaxis(leaves, 1, 0)), 0, 1)


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


def _stacked(pairs: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    return np.stack([values for values, _ in pairs]), np.stack([weights for _, weights in pairs])


def _definitions(runs: Sequence[Run]) -> list[DefinitionFile]:
    """Every metric of any run, in the order of the benchmark."""
    known = {d.id: d for run in reversed(runs) for d in run.file.definitions}
    order = {use.id: i for i, use in enumerate(runs[0].file.benchmark.metrics)}
    return sorted(known.values(), key=lambda d: (order.get(d.id, len(order)), d.id))
