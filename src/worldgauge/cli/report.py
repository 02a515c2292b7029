"""`worldgauge report`: runs as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from worldgauge.cli.options import Include
from worldgauge.core.aggregate import Tree, score_unit
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.core.status import Status
from worldgauge.engine.run_places import known_run
from worldgauge.engine.trial_import import include_tried as bring_in
from worldgauge.report.beside_published import beside_published
from worldgauge.report.folded import folded, folded_note
from worldgauge.report.published_print import print_published
from worldgauge.report.summary import Score, Summary, summarise
from worldgauge.report.tables import ARROWS, FORMATS, build_table, terminal_cells, to_latex, to_text
from worldgauge.report.unofficial import UNOFFICIAL, unofficial_columns, unofficial_notes
from worldgauge.verbs import StorePath, default_store, print_matrix, print_note, print_table, print_text, say

app = typer.Typer()

TEXTS = {"terminal": to_text, **FORMATS}
"""Formats that are one file."""


@app.command()
def report(
    runs: Annotated[
        list[Path],
        typer.Argument(help="Run folders; each is a row.", parser=known_run, metavar="RUN", show_default=False),
    ],
    style: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            envvar="WORLDGAUGE_FORMAT",
            help="terminal, md, csv, json, tex or html; else what the file's name says.",
        ),
    ] = None,
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
      worldgauge report runs/blocks/* --out table.tex
      worldgauge report runs/blocks/* --format html --out report/
      worldgauge report runs/mybench/mymodel --published
    """
    for path in include or ():
        bring_in(path)
    style = chosen_format("json" if as_json else style, out)
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
        from worldgauge.cli.status_page import status_page
        from worldgauge.engine.evidence import stored_evidence
        from worldgauge.engine.store import Store
        from worldgauge.engine.watched_runs import is_written
        from worldgauge.judge.unread import with_unread
        from worldgauge.report.html import ReportSource, write_report

        evidence = with_unread(stored_evidence(Store(store or default_store())))
        going_on = (lambda: status_page(runs, live=False)) if any(map(is_written, runs)) else None
        found = [Run(folder) for folder in runs]
        source = ReportSource(found, evidence=evidence, calibration=shipped_calibration, status=going_on)
        say(str(write_report(source, out or Path("report"))))
        return
    table = build_table([summarise(Run(folder)) for folder in runs])
    if style == "terminal" and out is None:
        header, rows = terminal_cells(table)
        print_matrix(header, rows)
        for note in table.notes:
            print_note(note)
        return
    text = to_latex(table, intervals=True) if style == "tex" and intervals else TEXTS[style](table)
    if out is None:
        print_text(text)
        return
    try:
        out.write_text(text, "utf-8")
    except OSError as error:
        raise WorldGaugeError(f"cannot write {out} ({error.strerror})") from error
    say(str(out))


def chosen_format(asked: str | None, out: Path | None) -> str:
    """The format that was asked for, else the one that the file's name says. The two must not contradict."""
    if asked is not None and asked not in ("html", *TEXTS):
        raise WorldGaugeError(f"unknown format '{asked}'", f"use terminal, html, {', '.join(FORMATS)}")
    if out is None or asked == "html":
        return asked or "terminal"
    ending = out.suffix.lower().removeprefix(".")
    named = {"": "terminal", "txt": "terminal", "html": "html", "htm": "html"}.get(ending, ending)
    if asked is None and named not in TEXTS:
        hint = "add --format html, and name a folder" if named == "html" else f"use --format {', '.join(TEXTS)} or html"
        raise WorldGaugeError(f"cannot tell what to write into {out}", hint)
    if asked is not None and ending and asked != named and named in ("html", *TEXTS):
        raise WorldGaugeError(f"--format {asked} does not fit the name {out.name}", "leave one of the two out")
    return asked or named


def print_summary(summary: Summary) -> None:
    """One run as a table with one line per metric and group that is about any of its cases."""
    rows = []
    hidden = folded([summary])
    scores = [score for score in summary.scores.values() if score.id not in hidden]
    units = {d.id: score_unit(d) for d in summary.run.file.definitions}
    tree = Tree(summary.run.file.benchmark, summary.run.file.definitions)
    unofficial = unofficial_columns([summary.run])
    optional = {
        "spread of takes": [_rounded(s.spread) for s in scores],
        "bounds": [s.bounds_in_words(_rounded) for s in scores],
        "constant answers": [
            ", ".join(f"{name} {_rounded(value)}" for name, value in s.constants.items()) for s in scores
        ],
    }
    shown = {name: cells for name, cells in optional.items() if any(cells)}
    for i, score in enumerate(scores):
        interval = f"[{score.interval[0]:.4g}, {score.interval[1]:.4g}]" if score.interval else ""
        others = ", ".join(_absent(score, status) for status in score.statuses if status != "ok")
        value = f"{score.value:.4g}" if score.value is not None else "-"
        rows.append(
            (
                score.id + (UNOFFICIAL if score.id in unofficial else "") + ARROWS[tree.higher_is_better(score.id)],
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
    about = [folded_note(hidden)] if hidden else []
    if earlier := summary.other_columns:
        columns = "one column" if len(earlier) == 1 else f"{len(earlier)} columns"
        about.append(f"The folder has {columns} of earlier commands too: 'worldgauge report {summary.run.folder}'.")
    notes = unofficial_notes([summary.run], [score.id for score in scores])
    for sentence in (*about, *notes, *summary.run.left_out.sentences()):
        print_note(sentence)


def _absent(score: Score, status: str) -> str:
    """`2 missing`, and what they count as where they count; of those unscored, which for which reason."""
    codes = [why for why in score.counted_as if why not in tuple(Status)] if status == Status.UNSCORED else []
    told = [_counting(score, why) for why in (status, *codes) if why in score.counted_as]
    return f"{score.statuses[status]} {status}" + (f" ({', '.join(told)})" if told else "")


def _counting(score: Score, why: str) -> str:
    number = score.counted_as[why]
    as_what = "worst" if isinstance(number, str) else f"{number:g}"
    return f"count as {as_what}" if why in tuple(Status) else f"{score.absent[why]} {why} count as {as_what}"


def _rounded(number: float | None) -> str:
    return "" if number is None else f"{number:.4g}"
