"""The numbers of one run, case by case, as the aggregation and the resampling take them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.aggregate import Floats, Unmeasured, by_case, case_values, weighted_means
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
    of_videos: Mapping[str, Floats]
    """Metric id to the number of each of its records, NaN where it does not count."""
    rows: Mapping[str, NDArray[np.int64]]
    """Metric id to the case of each of its records."""
    take_of: Mapping[str, NDArray[np.int64]]
    weights_of_videos: Mapping[str, Floats]

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
                by_case(self.rows[m][k], self.of_videos[m][k], self.weights_of_videos[m][k], len(self.cases))
                for m in self.rows
                for k in [self.take_of[m] == take]
            ]
            yield np.stack([values for values, _ in found]), np.stack([weights for _, weights in found])


def tabulate(
    columns: Mapping[str, Columns],
    definitions: Sequence[DefinitionFile],
    policy_of: Callable[[str], Policy],
    unmeasured: Unmeasured = "left out",
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
    of_videos: dict[str, Floats] = {}
    weights_of: dict[str, Floats] = {}
    rows: dict[str, NDArray[np.int64]] = {}
    takes: dict[str, NDArray[np.int64]] = {}
    for m, definition in enumerate(definitions):
        column = columns.get(definition.id)
        if column is None:
            continue
        found = case_values(column, definition, policy_of(definition.id), unmeasured)
        of_videos[definition.id], weights_of[definition.id] = found
        rows[definition.id] = np.array([row[case] for case in column.cases], dtype=np.int64)
        takes[definition.id] = np.array(column.takes, dtype=np.int64)
        values[m], weights[m] = by_case(rows[definition.id], *found, len(names))
    return CaseTable(
        names, codes.astype(np.int64), cluster_names.tolist(), values, weights, of_videos, rows, takes, weights_of
    )


def clusters_of(runs: Sequence[Mapping[str, Columns]]) -> dict[str, str]:
    """Case to cluster, over all records of the runs."""
    return {
        case: cluster
        for of_run in runs
        for column in of_run.values()
        for case, cluster in zip(column.cases, column.clusters, strict=True)
    }
