"""`worldgauge report`: runs as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from worldgauge.cli.options import Include
from worldgauge.core.aggregate import score_unit
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import include as bring_in
from worldgauge.core.run_folder import Run
from worldgauge.report.beside_published import beside_published
from worldgauge.report.published_print import print_published
from worldgauge.report.summary import Score, Summary, summarise
from worldgauge.report.tables import FORMATS, build_table, terminal_cells, to_latex
from worldgauge.verbs import StorePath, default_store, print_matrix, print_note, print_table

app = typer.Typer()


@app.command()
def report(
    runs: Annotated[list[Path], typer.Argument(help="Run folders; each is a row.", show_default=False)],
    style: Annotated[
        str, typer.Option("--format", "-f", envvar="WORLDGAUGE_FORMAT", help="terminal, md, csv, json, tex or html.")
    ] = "terminal",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", envvar="WORLDGAUGE_OUT", help="File to write; html: folder.")
    ] = None,
    intervals: Annotated[
        bool, typer.Option("--intervals", help="tex: half the 95 % interval behind each score.")
    ] = False,
    published: Annotated[
        bool, typer.Option("--published", help="Beside the authors' printed tables, where that is fair.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="First look whether the videos and cases are still what was measured.")
    ] = False,
    include: Include = None,
    store: StorePath = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Print runs side by side: score, 95 % interval, coverage. Runs of different definitions are refused.

    \b
    Examples:
      worldgauge report runs/blocks/*
      worldgauge report runs/blocks/* --format tex --out table.tex
      worldgauge report runs/blocks/* --format html --out report/
      worldgauge report runs/mybench/mymodel --published
    """
    style = "json" if as_json else style
    for path in include or ():
        bring_in(path)
    if style not in ("terminal", "html", *FORMATS):
        raise WorldGaugeError(f"unknown format '{style}'", f"use terminal, html, {', '.join(FORMATS)}")
    if check:
        from worldgauge.engine.contents import check_again

        for folder in runs:
            check_again(folder)
    if published:
        if style not in ("terminal", "md", "json") or out is not None:
            raise WorldGaugeError("--published prints to the terminal", "use --format terminal, md or json")
        print_published(beside_published([summarise(Run(folder)) for folder in runs]), style)
        return
    if style == "html":
        from worldgauge.calibration.for_report import shipped_calibration
        from worldgauge.engine.evidence import stored_evidence
        from worldgauge.engine.store import Store
        from worldgauge.report.html import ReportSource, write_report

        evidence = stored_evidence(Store(store or default_store()))
        source = ReportSource([Run(folder) for folder in runs], evidence=evidence, calibration=shipped_calibration)
        typer.echo(str(write_report(source, out or Path("report"))))
        return
    table = build_table([summarise(Run(folder)) for folder in runs])
    if style == "terminal":
        header, rows = terminal_cells(table)
        print_matrix(header, rows)
        for note in table.notes:
            print_note(note)
        return
    text = to_latex(table, intervals=True) if style == "tex" and intervals else FORMATS[style](table)
    if out is None:
        typer.echo(text, nl=False)
        return
    try:
        out.write_text(text, "utf-8")
    except OSError as error:
        raise WorldGaugeError(f"cannot write {out} ({error.strerror})") from error
    typer.echo(str(out))


def print_summary(summary: Summary) -> None:
    """One run as a table with one line per metric and group."""
    rows = []
    scores = list(summary.scores.values())
    units = {d.id: score_unit(d) for d in summary.run.file.definitions}
    optional = {
        "spread of takes": [_rounded(s.spread) for s in scores],
        "if unscored count": [_bounds(s) for s in scores],
    }
    shown = {name: cells for name, cells in optional.items() if any(cells)}
    for i, score in enumerate(scores):
        interval = f"[{score.interval[0]:.4g}, {score.interval[1]:.4g}]" if score.interval else ""
        others = ", ".join(f"{n} {status}" for status, n in score.statuses.items() if status != "ok")
        value = f"{score.value:.4g}" if score.value is not None else "-"
        rows.append(
            (
                score.id,
                value,
                interval,
                units.get(score.id, ""),
                *(cells[i] for cells in shown.values()),
                f"{score.scored}/{score.expected}",
                others or score.reason,
            )
        )
    header = ["metric", "score", "95 % interval", "unit", *shown, "coverage", "not scored"]
    if not any(row[-1] for row in rows):
        header, rows = header[:-1], [row[:-1] for row in rows]
    print_table(header, rows, numeric=(1, 2, *range(4, 5 + len(shown))))
    for sentence in summary.run.left_out.sentences():
        print_note(sentence)


def _bounds(score: Score) -> str:
    """The score if all that could not be measured were the worst, and the best."""
    if score.bounds is None:
        return ""
    return " to ".join("unbounded" if end is None else _rounded(end) for end in score.bounds)


def _rounded(number: float | None) -> str:
    return "" if number is None else f"{number:.4g}"
