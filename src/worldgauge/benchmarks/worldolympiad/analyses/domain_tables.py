"""Every column by domain and model, each with what it rests on; and on the cases that all models have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.run_folder import Run
from worldgauge.report.joint import FEWER_REPLICATES, Joint
from worldgauge.stats.bootstrap import Interval, cluster_replicates, percentile_interval

ALL = "all"
COMBINED, RELEASED = "Combined", "released"
TRACKS = ("Physical", "Geometry", "InteractJudged")
"""Columns of which the released code takes the mean of each case, over those that it has."""
ORDER = ("gaming", "robotics", "general")
Chosen = NDArray[np.bool_]


@dataclass(frozen=True)
class Cell:
    """One column of one model in one domain."""

    model: str
    domain: str
    column: str
    value: float | None
    """Over the cases the model itself has."""
    interval: Interval | None
    """95 %, resampling scenes: parts of one film go together."""
    cases: int
    """Cases the value rests on."""
    judgements: float | None
    """Of a pooled rate: how many verdicts."""
    common: float | None
    """The same over the cases that every model has."""
    common_cases: int

    def to_json(self) -> dict[str, Any]:
        return dict(vars(self))


def domain_cells(runs: Sequence[Run], columns: Sequence[str] = ()) -> list[Cell]:
    """Every column of comparable runs, by domain and over all; columns that no run has are left out.

    Under `released` the last one is `Combined`, the mean over cases of what the released summary calls so.
    """
    joint = Joint(runs)
    names = _names(runs)
    wanted = [name for name in joint.ids if not columns or name in columns]
    cases = combined_of_cases(joint) if not columns or COMBINED in columns else None
    found = list[Cell]()
    for domain, chosen in domains_of(joint):
        for column in wanted:
            found += _cells(joint, names, domain, chosen, column)
        if cases is not None:
            found += _combined(joint, names, domain, chosen, cases)
    return found


def combined_of_cases(joint: Joint) -> NDArray[np.float64] | None:
    """(K, N) the released `combined_score` of every case: the mean of its tracks that have a score, NaN where none has.

    None where the runs are not under `released`, or no track was run.
    """
    rows = [joint.ids.index(name) for name in TRACKS if name in joint.ids]
    if joint.runs[0].file.protocol != RELEASED or not rows:
        return None
    values = joint.values[:, rows]
    known = np.isfinite(values)
    sums, counts = np.where(known, values, 0.0).sum(axis=1), known.sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def domains_of(joint: Joint) -> Iterator[tuple[str, Chosen]]:
    """Each domain and its cases, then all of them."""
    tags = {case: of_case for run in joint.runs for case, of_case in run.tags().items()}
    values = np.array([tags.get(case, {}).get("domain", "") for case in joint.cases])
    for domain in sorted({*values.tolist()} - {""}, key=lambda name: ORDER.index(name) if name in ORDER else 9):
        yield domain, values == domain
    yield ALL, np.ones(len(values), bool)


def _cells(joint: Joint, names: Sequence[str], domain: str, chosen: Chosen, column: str) -> Iterator[Cell]:
    rows = joint.tree.metrics_of(column)
    at = joint.ids.index(column)
    # A group counts a case where any of its columns does; it is common where every model has the same of them.
    present = np.isfinite(joint.values[:, rows]) & chosen
    shared = chosen & (present == present[:1]).all(axis=(0, 1)) & present.any(axis=(0, 1))
    part, common = joint.part(chosen), joint.part(shared)
    drawn = part.replicates[:, at]
    pooled = len(rows) == 1 and joint.definitions[rows[0]].reduce == "pooled_ratio"
    for k, name in enumerate(names):
        own = present[k].any(axis=0)
        clusters = len(np.unique(joint.clusters[own]))
        finite = np.isfinite(drawn[k]).any()
        yield Cell(
            name,
            domain,
            column,
            _number(part.scores[k, at]),
            percentile_interval(drawn[k], clusters=clusters) if finite and clusters > 1 else None,
            int(own.sum()),
            float(joint.weights[k, rows[0]][own].sum()) if pooled else None,
            _number(common.scores[k, at]) if shared.any() else None,
            int(shared.sum()),
        )


def _combined(
    joint: Joint, names: Sequence[str], domain: str, chosen: Chosen, cases: NDArray[np.float64]
) -> Iterator[Cell]:
    present = np.isfinite(cases) & chosen
    shared = present.all(axis=0)
    drawn = cluster_replicates(np.where(chosen, cases, np.nan), joint.clusters, FEWER_REPLICATES)
    for k, name in enumerate(names):
        own, clusters = cases[k][present[k]], len(np.unique(joint.clusters[present[k]]))
        yield Cell(
            name,
            domain,
            COMBINED,
            float(own.mean()) if own.size else None,
            percentile_interval(drawn[k], clusters=clusters) if clusters > 1 else None,
            len(own),
            None,
            float(cases[k][shared].mean()) if shared.any() else None,
            int(shared.sum()),
        )


def _names(runs: Sequence[Run]) -> list[str]:
    names = [run.name for run in runs]
    return [n if names.count(n) == 1 else f"{n} ({run.folder.name})" for n, run in zip(names, runs, strict=True)]


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
