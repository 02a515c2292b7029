"""The summary of a run: every score with its interval, its bounds, its coverage and the statuses behind it."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.aggregate import Tree, weighted_means
from worldgauge.core.reducers import OVER_MEMBERS
from worldgauge.core.run_folder import Run
from worldgauge.core.status import Status
from worldgauge.report.case_table import CaseTable, tabulate
from worldgauge.report.constants import constant_scores
from worldgauge.report.judges import agreements
from worldgauge.report.unofficial import unofficial
from worldgauge.report.videos import Videos
from worldgauge.stats.bootstrap import Interval, cluster_replicates, percentile_interval

FILE_NAME = "summary.json"
SCHEMA = 2


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
    """The lowest and the highest that the score could be, whatever the clips are worth that have no number for a reason
    that a model can cause; None: there are none, or nothing can be. An end without a number is not bounded."""
    bounds_tell: bool = True
    """Whether tables show the bounds: not where they are only the edges of what a metric in its own unit may return."""
    spread: float | None = None
    """Standard deviation of the score between takes, where every case was given several."""
    counted_as: dict[str, float | str] = field(default_factory=dict)
    """Of videos without a number that the benchmark's policy counts: status or reason code to the score each is."""
    absent: dict[str, int] = field(default_factory=dict)
    """How many videos each of these is."""
    as_worst: int = 0
    """Videos that count as the worst score."""
    constants: dict[str, float] = field(default_factory=dict)
    """Of what rests on answers: what answers that pay no heed to the clips would score on the same videos."""

    @property
    def scored(self) -> int:
        return self.statuses.get(Status.OK, 0)

    @property
    def coverage(self) -> float:
        """Scored videos over expected ones."""
        return self.scored / self.expected if self.expected else 0.0

    @property
    def ends(self) -> tuple[float, float] | None:
        """The lowest and the highest that a score with a value could be, infinite where nothing bounds it."""
        if self.value is None:
            return None
        low, high = self.bounds or (self.value, self.value)
        return -math.inf if low is None else low, math.inf if high is None else high

    @property
    def put_in(self) -> str:
        """`2 as worst`: how many videos count without a number, and as what; empty where none does."""
        others = sum(self.absent.values()) - self.as_worst
        numbers = {f"{score:g}" for score in self.counted_as.values() if isinstance(score, float)}
        as_number = f"{others} as {numbers.pop()}" if len(numbers) == 1 else f"{others} put in"
        worst = f"{self.as_worst} as worst" if self.as_worst else ""
        return ", ".join(filter(None, (worst, as_number if others > 0 else "")))

    @property
    def coverage_in_words(self) -> str:
        """`18/20, 2 as worst`: scored and expected videos, and how many count without a number."""
        return ", ".join(filter(None, (f"{self.scored}/{self.expected}", self.put_in)))

    def bounds_in_words(self, told: Callable[[float], str], between: str = " to ") -> str:
        """`12.1 to 88`; nothing where all is known, or where the bounds say nothing."""
        if not self.bounds_tell:
            return ""
        return between.join("unbounded" if end is None else told(end) for end in self.bounds or ())

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
            **(
                {"counted_as": self.counted_as, "absent": self.absent, "as_worst": self.as_worst}
                if self.counted_as
                else {}
            ),
            **({"constants": self.constants} if self.constants else {}),
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
        """What videos without a number count as, where the benchmark's policy counts them: a sentence per reason."""
        notes = []
        order = (Status.MISSING.value, Status.INVALID.value)
        reasons = {why for score in self.scores.values() for why in score.counted_as}
        for why in [*(why for why in order if why in reasons), *sorted(reasons - set(order))]:
            counting = [score for score in self.scores.values() if why in score.counted_as]
            videos = max(score.absent[why] for score in counting)
            numbers = {score.counted_as[why] for score in counting} - {"worst"}
            number = f"{numbers.pop():g}" if len(numbers) == 1 else "the worst score"
            noun = "video counts" if videos == 1 else "videos count"
            notes.append(f"{videos} {why} {noun} as {number} (policy of the benchmark)")
        return notes

    def of_columns(self, columns: Collection[str]) -> Summary:
        """The same with only these metrics, and the groups that rest on no other: what one command has to report of a
        folder that holds columns of earlier commands too."""
        members = {group.id: list(group.of) for group in self.run.file.benchmark.groups}

        def rests_on_them(name: str) -> bool:
            return all(map(rests_on_them, members[name])) if name in members else name in columns

        metrics = {name: score for name, score in self.metrics.items() if name in columns}
        groups = {name: score for name, score in self.groups.items() if rests_on_them(name)}
        return replace(self, metrics=metrics, groups=groups)

    @property
    def other_columns(self) -> list[str]:
        """Metrics of the folder that are not in this summary: those of earlier commands."""
        return [definition.id for definition in self.run.file.definitions if definition.id not in self.metrics]

    def to_json(self) -> dict[str, Any]:
        file = self.run.file
        return {
            "schema": SCHEMA,
            "benchmark": file.benchmark.name,
            "protocol": file.protocol,
            "model": file.model.name,
            "instruments": file.instruments,
            "not_official": {name: why for name, why in unofficial(self.run).items() if name in self.metrics},
            "cases": file.cases,
            "fingerprints": {d.id: d.fingerprint for d in file.definitions if d.id in self.metrics},
            "statuses": dict(self.statuses()),
            "policy": self.policy_notes(),
            "metrics": {key: score.to_json() for key, score in self.metrics.items()},
            "groups": {key: score.to_json() for key, score in self.groups.items()},
            **({"judges": [found.to_json() for found in judges]} if (judges := agreements(self.run)) else {}),
            "stale": dict(self.run.left_out.stale),
            "damaged_lines": list(self.run.left_out.damaged),
        }


def summarise(run: Run, replicates: int = 1000, seed: int = 0) -> Summary:
    """Every metric, then every group: score, interval, bounds and coverage, all through one tree."""
    file, columns = run.file, run.columns()
    tree = Tree(file.benchmark, file.definitions)
    table = tabulate(columns, file.definitions, file.policy_of)
    points = tree.combine(table.means())
    drawn = tree.combine_replicates(cluster_replicates(table.values, table.clusters, replicates, seed, table.weights))
    low, high = table.bounds(tree)
    spreads = _spreads(tree, table)
    constants = constant_scores(tree, table, columns)
    clusters = len(np.unique(table.clusters))
    videos = Videos(tree, columns, table, file)
    values = {name: _number(point) for name, point in zip(tree.ids, points, strict=True)}
    scores: dict[str, Score] = {}
    for i, name in enumerate(tree.ids):
        statuses, counted, expected = videos.of(name)
        counted_as, absent, as_worst = videos.put_in(name)
        ends = bounds_between(low[i], high[i]) if table.unknown[tree.metrics_of(name)].any() else None
        scores[name] = Score(
            id=name,
            value=values[name],
            interval=percentile_interval(drawn[i], clusters=clusters) if np.isfinite(drawn[i]).any() else None,
            counted=counted,
            expected=expected,
            statuses=statuses,
            reason="" if values[name] is not None else _why_empty(tree, i, statuses, values),
            bounds=ends,
            bounds_tell=i >= len(file.definitions)
            or file.definitions[i].scale is not None
            or telling(ends, columns[name].values),
            spread=spreads[i],
            counted_as=counted_as,
            absent=absent,
            as_worst=as_worst,
            constants=constants.get(name, {}),
        )
    count = len(file.definitions)
    ordered = list(scores.items())
    return Summary(run, dict(ordered[:count]), dict(ordered[count:]), table.cases)


Commanded = Sequence[tuple["Summary", Collection[str]]]
"""Summaries of the benchmarks of one command, each with the cases that were named, none for all of them."""


def without_value(done: Commanded, part: bool = False) -> dict[str, str]:
    """Metrics that have no value in any case of a command, with the reason; one with a value in one benchmark is fine.

    Of a `part` of the cases (a shard) it is no fault that a metric applies to none of them, or that their videos are
    missing.
    """
    harmless = {Status.SKIPPED, Status.MISSING} if part else set[Status]()
    found: dict[str, list[tuple[Summary, dict[Status, int]]]] = {}
    for summary, cases in done:
        columns, file = summary.run.columns(), summary.run.file
        # A model that cannot do the cases of a column is 0 there without any video.
        zeros = {use.id for use in file.benchmark.metrics if use.zero_for and file.policy_of(use.id).missing == 0.0}
        for name in (name for name in summary.metrics if name not in zeros):
            # The number of a record with each status: the first of them has the reason.
            first: dict[Status, int] = {}
            for number, (case, status) in enumerate(zip(columns[name].cases, columns[name].statuses, strict=True)):
                if not cases or case in cases:
                    first.setdefault(status, number)
            found.setdefault(name, []).append((summary, first))
    return {
        name: _why_none(name, of_name)
        for name, of_name in found.items()
        if not any(Status.OK in first for _, first in of_name) and any(set(first) - harmless for _, first in of_name)
    }


def sentences_on_nothing(done: Commanded, named: Collection[str], part: bool = False) -> list[str]:
    """What to say of a command that was to compute more than it did: each metric that was named and has no value; where
    none was named, that no metric has one."""
    without = without_value(done, part)
    if named:
        return [f"{name} has no value in any case ({without[name]})" for name in named if name in without]
    if not without or any(summary.statuses()[Status.OK] for summary, _ in done):
        return []
    name, reason = next(iter(without.items()))
    return [f"nothing was computed, no metric has a value in any case ({name}: {reason})"]


def _why_none(name: str, of_name: Sequence[tuple[Summary, Mapping[Status, int]]]) -> str:
    """`3 unscored: ...`: how many records of each status, and the reason of one of the commonest."""
    summary, first = next(pair for pair in of_name if pair[1])
    counted = {status: summary.metrics[name].statuses.get(status, 0) for status in first}
    listing = ", ".join(f"{n} {status}" for status, n in sorted(counted.items(), key=lambda pair: -pair[1]))
    places = summary.run.columns()[name].places
    if places is None:
        return listing
    with summary.run.lines() as lines:
        record = lines.record(*places[first[max(counted, key=lambda status: counted[status])]].tolist())
    return f"{listing}: {record.get('reason', '')}".removesuffix(": ")


def write_summary(folder: Path) -> Summary:
    """Derive `summary.json` from a run folder's records."""
    summary = summarise(Run(folder))
    partial = folder / f".{FILE_NAME}.partial"
    partial.write_text(json.dumps(summary.to_json(), indent=1, allow_nan=False) + "\n", "utf-8")
    partial.replace(folder / FILE_NAME)
    return summary


def _spreads(tree: Tree, table: CaseTable) -> list[float | None]:
    """Per score its standard deviation between takes: take by take the whole tree is computed anew."""
    if table.takes < 2:
        return [None] * len(tree.ids)
    scores = np.stack([tree.combine(weighted_means(v, w)) for v, w in table.by_take()])
    return [_number(column.std(ddof=1)) for column in scores.T]


def bounds_between(low: float, high: float) -> tuple[float | None, float | None] | None:
    """Two ends as they are told: an infinite one has no number, and without any there are no bounds."""
    return None if math.isnan(low) or math.isnan(high) else (_number(low), _number(high))


FARTHEST = 10.0
"""Times the largest measured value: bounds of a metric in its own unit that lie further apart say nothing."""


def telling(ends: tuple[float | None, float | None] | None, values: NDArray[np.float64]) -> bool:
    """Whether bounds of a metric without a scale say something: they must not be far wider than what was measured.

    The ends may be no more than what no sound value exceeds, such as 20000 pixels. An open end is told.
    """
    low, high = ends or (None, None)
    measured = np.abs(values[np.isfinite(values)])
    return low is None or high is None or bool(measured.size and high - low <= FARTHEST * measured.max())


def _why_empty(tree: Tree, row: int, statuses: dict[str, int], values: dict[str, float | None]) -> str:
    if row < len(tree.definitions):
        listing = ", ".join(f"{n} {status}" for status, n in statuses.items())
        return tree.definitions[row].unavailable or f"no case scored ({listing})"
    group = tree.groups[row - len(tree.definitions)]
    absent: Sequence[str] = tree.absent_members(group, values)
    if absent:
        return "no score for " + ", ".join(absent)
    return f"no {OVER_MEMBERS[group.reduce].words} of negative scores"


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
