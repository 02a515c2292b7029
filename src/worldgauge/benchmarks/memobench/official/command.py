"""`worldgauge memobench leaderboard`: the official leaderboard from folders of official result files, anybody's."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from worldgauge.core.errors import WorldGaugeError
from worldgauge.verbs import AsJson, print_json, print_table, print_text, say

ALL_CLIPS, ASKED_CLIPS = 360, 45
"""Clips of the data set, and of them those with a question bank."""
HTML = "html"
"""The order in which the released page comes up."""
HTML_FLAW = "known flaw of this order: black clips, a held frame and loops stand above a camera that drifts (NOTES.md)"
Shape = Literal["terminal", "csv", "markdown"]


def leaderboard(
    evals: Annotated[Path | None, typer.Option("--eval-dir", help="<model>/eval_*.csv, the newest counts.")] = None,
    ors: Annotated[Path | None, typer.Option("--ors-dir", help="<model>/ors_scores.csv.")] = None,
    vqa: Annotated[Path | None, typer.Option("--vqa-dir", help="<model>/*.csv with a column 'score'.")] = None,
    sort: Annotated[str, typer.Option(help="Column to sort by, or 'html': the released page's first order.")] = "",
    shape: Annotated[Shape, typer.Option("--format", help="terminal, csv or markdown.")] = "terminal",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write, four decimals.")] = None,
    as_json: AsJson = False,
) -> None:
    """The leaderboard of official result folders: one row per model, and how many clips each number rests on.

    worldgauge memobench leaderboard --eval-dir outputs --ors-dir ors_results --vqa-dir vqa_results --sort ORS
    """
    from worldgauge.benchmarks.memobench.official import leaderboard as board
    from worldgauge.benchmarks.memobench.official.result_folders import read_results
    from worldgauge.core.registry import unknown_name

    if evals is None and ors is None and vqa is None:
        raise WorldGaugeError("no folder of results is named", "give --eval-dir, --ors-dir or --vqa-dir")
    results = read_results(evals, ors, vqa)
    if not results:
        raise WorldGaugeError("the folders hold no result file", "one folder per model: eval_*.csv, ors_scores.csv")
    rows = board.leaderboard_rows(results)
    if sort == HTML:
        rows.sort(key=lambda row: -board.html_order_score(row))
    elif sort:
        known = [*board.COLUMNS[1:], *board.SHORT_NAMES, HTML]
        if sort not in known:
            raise unknown_name("column", sort, known)
        rows = board.sort_rows(rows, sort)
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(board.to_csv(rows, board.FILE_DECIMALS), "utf-8")
    counts = {
        board.name_of(key, found): {
            "clips": _rows(found.clips),
            "ors": _rows(found.ors),
            "questions": len(found.answers),
        }
        for key, found in results.items()
    }
    if as_json:
        print_json([{**_plain(row), "coverage": counts[str(row["Model"])]} for row in rows])
    elif shape == "csv":
        print_text(board.to_csv(rows).rstrip("\n"))
    elif shape == "markdown":
        print_text(_markdown(board.COLUMNS, rows))
    else:
        short = {column: name for name, column in board.SHORT_NAMES.items()}
        header = [short.get(column, column) for column in board.COLUMNS]
        print_table(header, [_cells(row) for row in rows], numeric=range(1, len(header)), keys=1)
        if sort == HTML and len(rows) > 1:
            say(HTML_FLAW)
        for key, found in results.items():
            if found.unofficial:
                say(f"{board.name_of(key, found)}: not official, as its files say: {'; '.join(found.unofficial)}")
        for older in (file for found in results.values() for file in found.passed_over):
            say(f"not counted: {older} (the folder holds a newer table, and only that counts)")
        for model, of_model in counts.items():
            say(
                f"{model}: {of_model['clips']} of {ALL_CLIPS} clips, {of_model['ors']} with ORS, "
                f"{of_model['questions']} with answers (questions exist for {ASKED_CLIPS} of {ALL_CLIPS})"
            )


def _rows(table: Any) -> int:
    return 0 if table is None else len(table)


def _plain(row: dict[str, float | str]) -> dict[str, float | str | None]:
    return {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in row.items()}


def _cells(row: dict[str, float | str]) -> list[str]:
    name, *numbers = row.values()
    return [str(name), *("-" if math.isnan(float(n)) else f"{float(n):.2f}" for n in numbers)]


def _markdown(header: list[str], rows: list[dict[str, float | str]]) -> str:
    lines = [f"| {' | '.join(header)} |", "|---|" + "---:|" * (len(header) - 1)]
    return "\n".join([*lines, *(f"| {' | '.join(_cells(row))} |" for row in rows)])
