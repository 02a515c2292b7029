"""Runs beside printed numbers: in one table where that is fair, else in a block apart with the reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.published import PublishedTable, published_tables
from worldgauge.core.run_folder import Run
from worldgauge.report.comparable import check_comparable
from worldgauge.report.summary import Summary
from worldgauge.report.unofficial import measured_otherwise

Scores = Mapping[str, float | None]
"""Column of the printed table to a score."""


@dataclass(frozen=True)
class RunRow:
    """A run in the columns of a printed table."""

    name: str
    scores: Scores
    apart_because: tuple[str, ...]
    """Empty: it may share the table."""


@dataclass(frozen=True)
class BesidePublished:
    """One printed table and the runs held against it."""

    table: PublishedTable
    runs: tuple[RunRow, ...]

    @property
    def rows(self) -> dict[str, Scores]:
        """The printed rows, then the runs that may stand among them."""
        printed: dict[str, Scores] = {model: self.table.named(model) for model in self.table.rows}
        return printed | {run.name: run.scores for run in self.runs if not run.apart_because}

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.table.id,
            "source": self.table.source,
            "note": self.table.note,
            "protocol": self.table.protocol,
            "columns": list(self.table.columns),
            "rows": {name: dict(scores) for name, scores in self.rows.items()},
            "apart": [
                {"run": run.name, "scores": dict(run.scores), "because": list(run.apart_because)}
                for run in self.runs
                if run.apart_because
            ],
        }


def beside_published(summaries: Sequence[Summary]) -> list[BesidePublished]:
    """Every published table of the runs' benchmark that shares a column with them."""
    benchmark = summaries[0].run.file.benchmark
    others = [s.run.folder for s in summaries if s.run.file.benchmark.name != benchmark.name]
    if others:
        raise WorldGaugeError(f"{others[0]} is of another benchmark than '{benchmark.name}'", "report them apart")
    columns = {use.id for use in benchmark.metrics} | {group.id for group in benchmark.groups}
    tables = [table for table in published_tables(benchmark.name) if columns & set(table.columns)]
    return [held_against(table, summaries) for table in tables]


def held_against(table: PublishedTable, summaries: Sequence[Summary]) -> BesidePublished:
    """One printed table and the runs, each with the reasons to keep it apart."""
    rows = []
    names = _distinct([summary.run for summary in summaries], table)
    for summary, name in zip(summaries, names, strict=True):
        known = summary.metrics | summary.groups
        scores = {column: known[column].value if column in known else None for column in table.columns}
        rows.append(RunRow(name, scores, tuple(why_not_beside_published(summary, table))))
    # Runs that may stand among the printed rows stand beside each other, too.
    sharing = [summary.run for summary, row in zip(summaries, rows, strict=True) if not row.apart_because]
    if sharing:
        check_comparable(sharing)
    return BesidePublished(table, tuple(rows))


def _distinct(runs: Sequence[Run], table: PublishedTable) -> list[str]:
    """A name for each run that is nobody else's in the table."""
    names: list[str] = []
    for run in runs:
        name = run.name if run.name not in table.rows else f"{run.name} (this run)"
        alike = sum(other.name == run.name for other in runs) > 1
        names.append(f"{name} ({run.folder})" if alike else name)
    return names


def why_not_beside_published(summary: Summary, table: PublishedTable) -> list[str]:
    """Reasons why a run must not share a table with printed numbers; empty when it may.

    It may when it follows the protocol of the table, is about as many cases, uses the definitions and scales the
    benchmark comes with, sees through the official instruments, and has scored every case. Only what the columns of the
    table rest on is asked.
    """
    run, reasons = summary.run, []
    if table.apart:
        reasons.append(f"the printed table is special: {table.apart}")
    if not table.protocol:
        reasons.append("nobody knows which protocol the printed table follows")
    elif run.file.protocol != table.protocol:
        reasons.append(f"the printed table follows '{table.protocol}', the run '{run.file.protocol}'")
    if table.cases and run.file.cases != table.cases:
        reasons.append(f"the printed table rests on {table.cases} cases, the run on {run.file.cases}")
    reasons += measured_otherwise(summary, table.columns)
    scores = [score for column in table.columns if (score := summary.scores.get(column)) and score.bounds]
    if scores:
        ends = ", ".join(f"{score.id} {score.bounds_in_words('{:.4g}'.format)}" for score in scores)
        reasons.append(f"bounds, if clips without a score counted as worst or best: {ends}")
    return reasons
