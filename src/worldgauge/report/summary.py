"""The summary of a run: every score with its interval, its coverage and the statuses behind it."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.benchmark import Scale
from worldgauge.core.run_folder import Columns, DefinitionFile, Run
from worldgauge.core.status import Policy, Status, counted_value
from worldgauge.stats.bootstrap import cluster_replicates, percentile_interval

FILE_NAME = "summary.json"
SCHEMA = 1
Replicates = NDArray[np.float64]


@dataclass(frozen=True)
class Score:
    """One number of the summary and what it rests on."""

    id: str
    value: float | None
    interval: tuple[float, float] | None
    """95 % cluster bootstrap percentile interval; None with fewer than two clusters."""
    counted: int
    """Cases that entered the mean, absent videos included where the policy counts them."""
    expected: int
    """Cases the benchmark asks for, less those it does not apply to."""
    statuses: dict[str, int]
    reason: str = ""
    """Why there is no value."""

    @property
    def scored(self) -> int:
        return self.statuses.get(Status.OK, 0)

    @property
    def coverage(self) -> float:
        """Scored cases over expected ones."""
        return self.scored / self.expected if self.expected else 0.0


@dataclass(frozen=True)
class Summary:
    """Every metric and group of a run."""

    run: Run
    metrics: dict[str, Score]
    groups: dict[str, Score]

    def statuses(self) -> Counter[str]:
        """How many records of each status, over all metrics."""
        counted: Counter[str] = Counter()
        for score in self.metrics.values():
            counted.update(score.statuses)
        return counted

    def to_json(self) -> dict[str, Any]:
        file = self.run.file
        return {
            "schema": SCHEMA,
            "benchmark": file.benchmark.name,
            "protocol": file.protocol,
            "model": file.model.name,
            "instruments": file.instruments,
            "cases": file.cases,
            "fingerprints": {d.id: d.fingerprint for d in file.definitions},
            "metrics": {key: _to_json(score) for key, score in self.metrics.items()},
            "groups": {key: _to_json(score) for key, score in self.groups.items()},
        }


def summarise(run: Run, replicates: int = 1000, seed: int = 0) -> Summary:
    """Means, intervals and coverage of every metric, then of every group, replicate by replicate."""
    file, columns = run.file, run.columns()
    values = {d.id: _counted(columns[d.id], d, file.benchmark.policy) for d in file.definitions}
    draws = _replicates(columns, values, replicates, seed)
    clusters = len({cluster for of_metric in columns.values() for cluster in of_metric.clusters})
    metrics: dict[str, Score] = {}
    points: dict[str, float | None] = {}
    for definition in file.definitions:
        scale = definition.scale if definition.scale and definition.scale.level == "model" else None
        draws[definition.id] = _scaled(draws[definition.id], scale)
        finite = values[definition.id][np.isfinite(values[definition.id])]
        mean = float(np.mean(finite)) if finite.size else None
        points[definition.id] = scale(mean) if scale and mean is not None else mean
        interval = _interval(draws[definition.id], clusters)
        metrics[definition.id] = _metric_score(
            definition, columns[definition.id], points[definition.id], int(finite.size), interval, file.cases
        )
    groups: dict[str, Score] = {}
    for group in file.benchmark.groups:
        members = group.of
        absent = [m for m in members if points.get(m) is None]
        total = sum(members.values())
        if absent:
            points[group.id] = None
            draws[group.id] = np.full(replicates, np.nan)
        else:
            points[group.id] = sum(w * (points[m] or 0.0) for m, w in members.items()) / total
            draws[group.id] = sum((w * draws[m] for m, w in members.items()), np.zeros(replicates)) / total
        interval = _interval(draws[group.id], clusters)
        groups[group.id] = _group_score(group.id, points[group.id], interval, absent, members, metrics | groups)
    return Summary(run, metrics, groups)


def write_summary(folder: Path) -> Summary:
    """Derive `summary.json` from a run folder's records."""
    summary = summarise(Run(folder))
    partial = folder / f".{FILE_NAME}.partial"
    partial.write_text(json.dumps(summary.to_json(), indent=1, allow_nan=False) + "\n", "utf-8")
    partial.replace(folder / FILE_NAME)
    return summary


def _counted(columns: Columns, definition: DefinitionFile, policy: Policy) -> NDArray[np.float64]:
    """Per case the number that enters the mean, NaN where none does."""
    worst = definition.worst
    absent = {status: counted_value(status, None, policy, worst) for status in Status if status is not Status.OK}
    substitutes = {status: math.nan if value is None else value for status, value in absent.items()}
    return np.array(
        [v if s is Status.OK else substitutes[s] for s, v in zip(columns.statuses, columns.values, strict=True)],
        dtype=np.float64,
    )


def _replicates(
    columns: dict[str, Columns], values: dict[str, NDArray[np.float64]], replicates: int, seed: int
) -> dict[str, Replicates]:
    """Resample the same clusters for every metric, so that groups can be recomputed in every replicate."""
    cluster_of = {case: cluster for c in columns.values() for case, cluster in zip(c.cases, c.clusters, strict=True)}
    cases = sorted(cluster_of)
    codes = {cluster: i for i, cluster in enumerate(sorted(set(cluster_of.values())))}
    if not cases:
        return {metric: np.full(replicates, np.nan) for metric in columns}
    row = {case: i for i, case in enumerate(cases)}
    table = np.full((len(columns), len(cases)), np.nan)
    for i, (metric, of_metric) in enumerate(columns.items()):
        table[i, [row[case] for case in of_metric.cases]] = values[metric]
    clusters = np.array([codes[cluster_of[case]] for case in cases], dtype=np.int64)
    if len(codes) < 2:
        return {metric: np.full(replicates, np.nan) for metric in columns}
    return dict(zip(columns, cluster_replicates(table, clusters, replicates, seed), strict=True))


def _scaled(draws: Replicates, scale: Scale | None) -> Replicates:
    return draws if scale is None else np.array([scale(x) if math.isfinite(x) else x for x in draws])


def _metric_score(
    definition: DefinitionFile,
    columns: Columns,
    value: float | None,
    counted: int,
    interval: tuple[float, float] | None,
    cases: int,
) -> Score:
    statuses = columns.count()
    pending = cases - len(columns.cases)
    counts = {status.value: statuses[status] for status in Status if statuses[status]}
    if pending:
        counts["pending"] = pending
    reason = "" if value is not None else definition.unavailable or _why_empty(counts)
    return Score(definition.id, value, interval, counted, cases - statuses[Status.SKIPPED], counts, reason)


def _group_score(
    group: str,
    value: float | None,
    interval: tuple[float, float] | None,
    absent: list[str],
    members: dict[str, float],
    scores: dict[str, Score],
) -> Score:
    statuses: Counter[str] = Counter()
    for member in members:
        if member in scores:
            statuses.update(scores[member].statuses)
    known = [scores[m] for m in members if m in scores]
    return Score(
        group,
        value,
        interval,
        sum(s.counted for s in known),
        sum(s.expected for s in known),
        dict(statuses),
        "" if value is not None else "no score for " + ", ".join(absent),
    )


def _interval(draws: Replicates, clusters: int) -> tuple[float, float] | None:
    return percentile_interval(draws, clusters=clusters) if np.isfinite(draws).any() else None


def _why_empty(counts: dict[str, int]) -> str:
    return "no case scored (" + ", ".join(f"{n} {status}" for status, n in counts.items()) + ")"


def _to_json(score: Score) -> dict[str, Any]:
    return {
        "value": score.value,
        "interval": score.interval,
        "scored": score.scored,
        "counted": score.counted,
        "expected": score.expected,
        "statuses": score.statuses,
        "reason": score.reason,
    }
