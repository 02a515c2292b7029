"""The numbers of one run, case by case, as the aggregation and the resampling take them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.aggregate import CaseNumbers, Tree, by_case, case_numbers, ends_of, weighted_means
from worldgauge.core.reducers import Floats
from worldgauge.core.run_file import DefinitionFile
from worldgauge.core.run_folder import Columns
from worldgauge.core.status import Policy


@dataclass(frozen=True, eq=False)
class CaseTable:
    """M metrics over N cases."""

    cases: list[str]
    clusters: NDArray[np.int64]
    """(N,) number of each case's scene."""
    cluster_names: list[str]
    values: Floats
    """(M, N), takes of a case joined; NaN where nothing counts."""
    weights: Floats
    """(M, N)"""
    of_videos: Mapping[str, CaseNumbers]
    """Metric id to the numbers of its records."""
    rows: Mapping[str, NDArray[np.int64]]
    """Metric id to the case of each of its records."""
    take_of: Mapping[str, NDArray[np.int64]]
    definitions: Sequence[DefinitionFile]

    def means(self) -> Floats:
        """(M,) means over cases."""
        return weighted_means(self.values, self.weights)

    @property
    def takes(self) -> int:
        """Takes of the case that has most."""
        return max((int(of_metric.max()) + 1 for of_metric in self.take_of.values() if of_metric.size), default=1)

    def by_take(self) -> Iterator[tuple[Floats, Floats]]:
        """Values and weights of every first take, of every second, ..."""
        for take in range(self.takes):
            found = [
                by_case(self.rows[m][k], numbers.values[k], numbers.weights[k], len(self.cases))
                for m, numbers in self.of_videos.items()
                for k in [self.take_of[m] == take]
            ]
            yield np.stack([values for values, _ in found]), np.stack([weights for _, weights in found])

    @cached_property
    def unknown(self) -> NDArray[np.bool_]:
        """(M,) whether a metric has clips without a number for a reason that a model can cause."""
        found = (self.of_videos.get(definition.id) for definition in self.definitions)
        return np.array([numbers is not None and bool(numbers.unknown.size) for numbers in found], dtype=bool)

    def at_end(self, highest: bool) -> tuple[Floats, Floats]:
        """Values and weights, (M, N) each, with every unknown clip where its column is lowest, or highest."""
        values, weights = self.values.copy(), self.weights.copy()
        for m, definition in enumerate(self.definitions):
            if not self.unknown[m]:
                continue
            numbers, rows = self.of_videos[definition.id], self.rows[definition.id]
            # A clip that weighs nothing decides nothing, not even where it may be infinite.
            heavy = numbers.unknown_weights > 0
            at = numbers.unknown[heavy]
            filled, heavier = numbers.values.copy(), numbers.weights.copy()
            filled[at], heavier[at] = ends_of(definition)[highest], numbers.unknown_weights[heavy]
            values[m], weights[m] = by_case(rows, filled, heavier, len(self.cases))
        return values, weights

    def bounds(self, tree: Tree) -> tuple[Floats, Floats]:
        """(M + G,) lowest and highest scores; those of what is known where no clip is unknown below."""
        means = self.means()
        if not self.unknown.any():
            scores = tree.combine(means)
            return scores, scores
        return tree.bounds(means, *(weighted_means(*self.at_end(end)) for end in (False, True)))


def tabulate(
    columns: Mapping[str, Columns],
    definitions: Sequence[DefinitionFile],
    policy_of: Callable[[str], Policy],
    cases: Mapping[str, str] | None = None,
) -> CaseTable:
    """Columns of a run as a table; `policy_of` tells what absent videos count as in each.

    `cases` (case to cluster) sets the rows; else they are those that have records.
    """
    cluster_of = dict(cases) if cases is not None else clusters_of([columns])
    names = sorted(cluster_of)
    row = {case: i for i, case in enumerate(names)}
    cluster_names, codes = np.unique([cluster_of[case] for case in names], return_inverse=True)
    values, weights = (np.full((len(definitions), len(names)), fill) for fill in (np.nan, 0.0))
    of_videos: dict[str, CaseNumbers] = {}
    rows: dict[str, NDArray[np.int64]] = {}
    takes: dict[str, NDArray[np.int64]] = {}
    row_of: dict[int, NDArray[np.int64]] = {}
    for m, definition in enumerate(definitions):
        column = columns.get(definition.id)
        if column is None:
            continue
        found = of_videos[definition.id] = case_numbers(column, definition, policy_of(definition.id))
        # Metrics over the same videos share their lists.
        if id(column.cases) not in row_of:
            row_of[id(column.cases)] = np.array([row[case] for case in column.cases], dtype=np.int64)
        rows[definition.id] = row_of[id(column.cases)]
        takes[definition.id] = np.array(column.takes, dtype=np.int64)
        values[m], weights[m] = by_case(rows[definition.id], found.values, found.weights, len(names))
    return CaseTable(
        names, codes.astype(np.int64), cluster_names.tolist(), values, weights, of_videos, rows, takes, definitions
    )


def clusters_of(runs: Sequence[Mapping[str, Columns]]) -> dict[str, str]:
    """Case to cluster, over all records of the runs."""
    # Metrics over the same videos share their lists.
    lists = {(id(column.cases), id(column.clusters)): column for of_run in runs for column in of_run.values()}
    return {
        case: cluster for column in lists.values() for case, cluster in zip(column.cases, column.clusters, strict=True)
    }
