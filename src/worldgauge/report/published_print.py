"""Printed tables with runs beside them or apart, for the terminal, for a page and for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from worldgauge.report.beside_published import BesidePublished, RunRow, Scores
from worldgauge.report.plain import markdown_text
from worldgauge.report.terminal import print_json, print_table, print_text, say


def print_published(tables: Sequence[BesidePublished], style: str = "terminal") -> None:
    """Each table under its source, then a block for the runs that must stand apart. `style`: terminal, md or json."""
    if style == "json":
        print_json([held.to_json() for held in tables])
        return
    for held in tables:
        table = held.table
        say(f"{table.source}{': ' if table.note else ''}{table.note}")
        _print_rows(held.rows, table.columns, style)
        for run in held.runs:
            if run.apart_because:
                _print_apart(run, table.columns, style)
        say("")


def _print_apart(run: RunRow, columns: Sequence[str], style: str) -> None:
    if all(value is None for value in run.scores.values()):
        say(f"{run.name} has no score in these columns.")
    else:
        say("Not comparable with the table above:")
        _print_rows({run.name: run.scores}, columns, style)
    for reason in run.apart_because:
        say(f"- {reason}")


def _print_rows(rows: Mapping[str, Scores], columns: Sequence[str], style: str) -> None:
    header = ["model", *columns]
    cells = [[name, *(_cell(scores.get(column)) for column in columns)] for name, scores in rows.items()]
    if style == "terminal":
        print_table(header, cells, range(1, len(header)))
        return
    names = [[markdown_text(name), *rest] for name, *rest in cells]
    lines = [header, ["---", *["---:"] * len(columns)], *names]
    print_text("".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n")


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"
