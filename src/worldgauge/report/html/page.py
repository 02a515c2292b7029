"""The page itself: the leaderboard as plain HTML, so that it is there before any script has run."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from worldgauge.report.constants import constant_rows
from worldgauge.report.html.column import Column
from worldgauge.report.html.judged import judged_ids
from worldgauge.report.judges import agreement_notes
from worldgauge.report.notes import fold_notes, unlike_notes
from worldgauge.report.places import Ranks, contestants, places, ranks_in_words
from worldgauge.report.unofficial import unofficial_notes

if TYPE_CHECKING:
    from worldgauge.report.html.source import ReportSource
    from worldgauge.report.summary import Score

PACKAGE = "worldgauge.report.html"
SCRIPTS = (
    "core.js",
    "charts.js",
    "bars.js",
    "leaderboard.js",
    "metric.js",
    "judge.js",
    "rows.js",
    "cases.js",
    "player.js",
    "figures.js",
    "case.js",
    "compare.js",
    "about.js",
    "start.js",
)
"""In this order, after the first paint; `boot.js` brings them in."""
ASSETS = ("report.css", "boot.js", *SCRIPTS)


@dataclass(frozen=True)
class Cell:
    """One score as the page prints it."""

    text: str
    interval: str
    sort: float | None
    place: str
    """`best`, `second` or nothing."""
    start: float
    end: float
    point: float
    """Interval and value on the column's range, 0 to 100 from worst to best."""
    badge: str
    """Coverage when it is not complete, and how many clips count as worst."""
    hint: str
    bounds: str = ""
    """Between which numbers the score lies, whatever clips without a score are worth; nothing where all have one."""
    ranks: str = ""
    """`1–3` where the rank depends on that."""


def render(source: ReportSource) -> str:
    """`index.html`; every text of a user goes through the template's escaping."""
    from jinja2 import Environment, PackageLoader

    environment = Environment(loader=PackageLoader(PACKAGE), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    columns = display_order([column for column in source.columns if not column.folded])
    models = [source.model_json(k) for k in range(len(source.runs))]
    first = source.runs[0].file
    return environment.get_template("index.html.j2").render(
        benchmark=source.joint.benchmark,
        protocol=first.protocol,
        instruments=sorted({name for run in source.runs for name in run.file.instruments.values()}),
        models=models,
        columns=columns,
        cells=leaderboard_cells(source),
        cases=len(source.joint.cases),
        clusters=len(source.joint.cluster_names),
        date=_date(models),
        notes=unlike_notes(source.summaries),
        unofficial=unofficial_notes(source.runs, [column.id for column in columns]),
        folded=fold_notes(source.summaries),
        judged=bool(judged_ids(source.joint)),
        constants={
            name: {column.id: column.number(row[column.id].value or 0.0) for column in columns if column.id in row}
            for name, row in constant_rows(source.summaries).items()
        },
        agreement=agreement_notes(source.runs),
        scripts=SCRIPTS,
        goes_on=source.status is not None,
    )


def leaderboard_cells(source: ReportSource) -> dict[str, list[Cell]]:
    """Per column the cell of every model, with its place among those under test."""
    ranked = contestants([run.file.model.stands_for for run in source.runs])
    return {column.id: _cells(source, column, ranked) for column in source.columns}


def display_order(columns: list[Column]) -> list[Column]:
    """Groups first, the widest at the very left, then metrics."""
    groups = [c for c in columns if c.kind == "group"]
    return [*reversed(groups), *(c for c in columns if c.kind != "group")]


def _cells(source: ReportSource, column: Column, ranked: list[int]) -> list[Cell]:
    scores = [(s.metrics | s.groups).get(column.id) for s in source.summaries]
    values = {k: score.value if (score := scores[k]) else None for k in ranked}
    better = column.better > 0 if column.better else None
    found, ranks = places(values, better), source.ranks[column.id]
    return [_cell(score, column, found.get(k, ""), ranks.get(k)) for k, score in enumerate(scores)]


def _cell(score: Score | None, column: Column, place: str, ranks: Ranks | None) -> Cell:
    if score is None or score.value is None:
        reason = "not run" if score is None else score.reason
        badge = "" if score is None or not score.expected else f"{score.scored}/{score.expected}"
        bounds = "" if score is None else score.bounds_in_words(column.number, " – ")
        return Cell("–", "", None, "", 0, 0, 0, badge, reason, bounds)

    def on_range(value: float) -> float:
        return min(100.0, max(0.0, 100 * (value - column.worst) / ((column.best - column.worst) or 1.0)))

    low, high = score.interval or (score.value, score.value)
    ends = sorted((on_range(low), on_range(high)))
    complete = score.scored == score.expected
    statuses = ", ".join(f"{count} {status}" for status, count in score.statuses.items())
    return Cell(
        text=column.number(score.value),
        interval=f"{column.number(low)} – {column.number(high)}" if score.interval else "no interval",
        sort=score.value,
        place=place,
        start=round(ends[0], 2),
        end=round(ends[1], 2),
        point=round(on_range(score.value), 2),
        badge="" if complete else score.coverage_in_words,
        hint=f"{score.scored} of {score.expected} cases scored ({statuses})",
        bounds=score.bounds_in_words(column.number, " – "),
        ranks=ranks_in_words(ranks, "–"),
    )


def _date(models: list[dict[str, Any]]) -> str:
    """Day of the latest invocation: the report of a run does not change with the day it is written."""
    times = [i["started"] for model in models for i in model["invocations"]]
    return datetime.fromtimestamp(max(times), UTC).strftime("%Y-%m-%d") if times else ""
