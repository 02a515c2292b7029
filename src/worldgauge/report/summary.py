"""The summary of a run: every score with its interval, its bounds, its coverage and the statuses behind it."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.aggregate import Tree, weighted_means
from worldgauge.core.run_folder import Columns, Run
from worldgauge.core.status import Policy, Status
from worldgauge.report.case_table import CaseTable, tabulate
from worldgauge.report.unofficial import unofficial
from worldgauge.stats.bootstrap import Interval, cluster_replicates, percentile_interval

FILE_NAME = "summary.json"
SCHEMA = 2
PENDING = "pending"
"""Stands among the statuses for videos that have no record yet."""
_FIRST_TOLD = ("error", "invalid", "missing", "unscored", PENDING)
"""Of several reasons why a video does not count in a group, the one that is told."""


@dataclass(frozen=True)
class Score:
    """One number of the summary and what it rests on."""

    id: str
    value: float | None
    interval: Interval | None
    """95 % cluster bootstrap percentile interval; None with fewer than two clusters."""
    counted: int
    """Videos that entered the mean, absent ones included where the policy counts them."""
    expected: int
    """Videos the benchmark asks for, less those it does not apply to."""
    statuses: dict[str, int]
    reason: str = ""
    """Why there is no value."""
    bounds: tuple[float | None, float | None] | None = None
    """The score if all that could not be measured were the worst, and the best; None: all was measured, or nothing can
    be. An end without a number is not bounded."""
    spread: float | None = None
    """Standard deviation of the score between takes, where every case was given several."""
    counted_as: dict[str, float | str] = field(default_factory=dict)
    """Of absent videos that the benchmark's policy counts: status to the score each counts as."""

    @property
    def scored(self) -> int:
        return self.statuses.get(Status.OK, 0)

    @property
    def coverage(self) -> float:
        """Scored videos over expected ones."""
        return self.scored / self.expected if self.expected else 0.0

    def to_json(self) -> dict[str, Any]:
        """As every JSON file of ours holds a score."""
        return {
            "value": self.value,
            "interval": self.interval,
            "bounds": self.bounds,
            "spread": self.spread,
            "scored": self.scored,
            "counted": self.counted,
            "expected": self.expected,
            "statuses": self.statuses,
            "reason": self.reason,
            **({"counted_as": self.counted_as} if self.counted_as else {}),
        }


@dataclass(frozen=True)
class Summary:
    """Every metric and group of a run."""

    run: Run
    metrics: dict[str, Score]
    groups: dict[str, Score]
    cases: Sequence[str] = ()
    """Cases that have a record."""

    @property
    def scores(self) -> dict[str, Score]:
        """Metrics, then groups."""
        return self.metrics | self.groups

    def statuses(self) -> Counter[str]:
        """How many records of each status, over all metrics."""
        counted: Counter[str] = Counter()
        for score in self.metrics.values():
            counted.update(score.statuses)
        return counted

    def policy_notes(self) -> list[str]:
        """What absent videos count as, where the benchmark's policy counts them: a sentence per status."""
        notes = []
        for status in (Status.MISSING, Status.INVALID):
            counting = [score for score in self.scores.values() if status in score.counted_as]
            if not counting:
                continue
            videos = max(score.statuses[status] for score in counting)
            numbers = {score.counted_as[status] for score in counting} - {"worst"}
            number = f"{numbers.pop():g}" if len(numbers) == 1 else "the worst score"
            noun = "video counts" if videos == 1 else "videos count"
            notes.append(f"{videos} {status} {noun} as {number} (policy of the benchmark)")
        return notes

    def to_json(self) -> dict[str, Any]:
        file = self.run.file
        return {
            "schema": SCHEMA,
            "benchmark": file.benchmark.name,
            "protocol": file.protocol,
            "model": file.model.name,
            "instruments": file.instruments,
            "not_official": unofficial(self.run),
            "cases": file.cases,
            "fingerprints": {d.id: d.fingerprint for d in file.definitions},
            "statuses": dict(self.statuses()),
            "policy": self.policy_notes(),
            "metrics": {key: score.to_json() for key, score in self.metrics.items()},
            "groups": {key: score.to_json() for key, score in self.groups.items()},
            "stale": dict(self.run.left_out.stale),
            "damaged_lines": list(self.run.left_out.damaged),
        }


def summarise(run: Run, replicates: int = 1000, seed: int = 0) -> Summary:
    """Every metric, then every group: score, interval, bounds and coverage, all through one tree."""
    file, columns = run.file, run.columns()
    tree = Tree(file.benchmark, file.definitions)
    table = tabulate(columns, file.definitions, file.policy_of)
    means = table.means()
    points = tree.combine(means)
    drawn = tree.combine(cluster_replicates(table.values, table.clusters, replicates, seed, table.weights))
    low, high = tree.bounds(
        means, *(tabulate(columns, file.definitions, file.policy_of, end).means() for end in ("worst", "best"))
    )
    spreads = _spreads(tree, table)
    clusters = len(np.unique(table.clusters))
    videos = _Videos(tree, columns, table, file.expected)
    values = {name: _number(point) for name, point in zip(tree.ids, points, strict=True)}
    scores: dict[str, Score] = {}
    for i, name in enumerate(tree.ids):
        statuses, counted, expected = videos.of(name)
        unmeasured = statuses.get(Status.UNSCORED, 0) > 0 and not _unavailable(tree, name)
        scores[name] = Score(
            id=name,
            value=values[name],
            interval=percentile_interval(drawn[i], clusters=clusters) if np.isfinite(drawn[i]).any() else None,
            counted=counted,
            expected=expected,
            statuses=statuses,
            reason="" if values[name] is not None else _why_empty(tree, i, statuses, values),
            bounds=_bounds(low[i], high[i]) if unmeasured else None,
            spread=spreads[i],
            counted_as=_counted_as(tree, i, statuses, file.policy_of(name)),
        )
    count = len(file.definitions)
    ordered = list(scores.items())
    return Summary(run, dict(ordered[:count]), dict(ordered[count:]), table.cases)


def write_summary(folder: Path) -> Summary:
    """Derive `summary.json` from a run folder's records."""
    summary = summarise(Run(folder))
    partial = folder / f".{FILE_NAME}.partial"
    partial.write_text(json.dumps(summary.to_json(), indent=1, allow_nan=False) + "\n", "utf-8")
    partial.replace(folder / FILE_NAME)
    return summary


class _Videos:
    """What became of every video in every metric, as a matrix of statuses."""

    def __init__(self, tree: Tree, columns: dict[str, Columns], table: CaseTable, expected: int) -> None:
        self._tree = tree
        keys = sorted({key for c in columns.values() for key in zip(c.cases, c.takes, strict=True)})
        row = {key: i for i, key in enumerate(keys)}
        self._statuses: NDArray[np.str_] = np.full((len(columns), len(keys)), PENDING, dtype="<U8")
        self._counts = np.zeros((len(columns), len(keys)), dtype=bool)
        for m, (name, column) in enumerate(columns.items()):
            at = [row[key] for key in zip(column.cases, column.takes, strict=True)]
            self._statuses[m, at] = [status.value for status in column.statuses]
            self._counts[m, at] = np.isfinite(table.of_videos[name])
        # Videos without a record in any metric.
        self._pending = max(0, expected - len(keys))

    def of(self, name: str) -> tuple[dict[str, int], int, int]:
        """Statuses, videos that count, and videos expected. In a group a video is scored when every metric is."""
        rows = self._tree.metrics_of(name)
        counts: Counter[str] = Counter({PENDING: self._pending} if self._pending else {})
        if not rows:
            return dict(counts), 0, self._pending
        statuses = self._statuses[rows]
        asked = statuses != Status.SKIPPED.value
        told = np.full(statuses.shape[1], Status.OK.value, dtype="<U8")
        for status in reversed(_FIRST_TOLD):
            told[(statuses == status).any(axis=0)] = status
        told[~asked.any(axis=0)] = Status.SKIPPED.value
        names, numbers = np.unique(told, return_counts=True)
        counts.update({str(n): int(k) for n, k in zip(names, numbers, strict=True)})
        order = [*(status.value for status in Status), PENDING]
        found = {status: counts[status] for status in order if counts[status]}
        counted = int(((self._counts[rows] | ~asked).all(axis=0) & asked.any(axis=0)).sum())
        return found, counted, sum(found.values()) - found.get(Status.SKIPPED, 0)


def _spreads(tree: Tree, table: CaseTable) -> list[float | None]:
    """Per score its standard deviation between takes: take by take the whole tree is computed anew."""
    if table.takes < 2:
        return [None] * len(tree.ids)
    scores = np.stack([tree.combine(weighted_means(v, w)) for v, w in table.by_take()])
    return [_number(column.std(ddof=1)) for column in scores.T]


def _counted_as(tree: Tree, row: int, statuses: dict[str, int], policy: Policy) -> dict[str, float | str]:
    """What the policy puts in for absent videos. In a group each member has a worst of its own."""
    rules = {Status.MISSING.value: policy.missing, Status.INVALID.value: policy.invalid}
    if row < len(tree.definitions) and tree.definitions[row].unscaled:
        return {}
    worst = tree.definitions[row].worst if row < len(tree.definitions) else None
    return {
        status: rule if isinstance(rule, float) or worst is None else worst
        for status, rule in rules.items()
        if rule != "exclude" and statuses.get(status)
    }


def _unavailable(tree: Tree, name: str) -> bool:
    """Whether an instrument is missing altogether, which no model can cause."""
    return any(tree.definitions[row].unavailable for row in tree.metrics_of(name))


def _bounds(low: float, high: float) -> tuple[float | None, float | None] | None:
    return None if math.isnan(low) or math.isnan(high) else (_number(low), _number(high))


def _why_empty(tree: Tree, row: int, statuses: dict[str, int], values: dict[str, float | None]) -> str:
    if row < len(tree.definitions):
        listing = ", ".join(f"{n} {status}" for status, n in statuses.items())
        return tree.definitions[row].unavailable or f"no case scored ({listing})"
    group = tree.groups[row - len(tree.definitions)]
    absent: Sequence[str] = tree.absent_members(group, values)
    return "no score for " + ", ".join(absent) if absent else f"no {group.reduce} mean of negative scores"


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
