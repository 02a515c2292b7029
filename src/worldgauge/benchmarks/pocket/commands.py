"""`worldgauge demo`: small worlds, a good subject and six faulty ones, a table and a report."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated

import typer

from worldgauge.verbs import StepLines, duration, print_matrix, print_note, say

app = typer.Typer()


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", "-o", envvar="WORLDGAUGE_OUT", help="Folder of the demo.")] = Path(
        "worldgauge-demo"
    ),
    workers: Annotated[
        int,
        typer.Option(
            "--workers", "-w", min=0, max=65_536, envvar="WORLDGAUGE_WORKERS", help="Processes; 0: one per core."
        ),
    ] = 0,
    cases: Annotated[
        int | None, typer.Option("--cases", min=1, help="Only the first so many of its cases, for a quick try.")
    ] = None,
) -> None:
    """Render a few worlds, let a perfect and six faulty world models perform them, score and report.

    Needs no GPU, no weights and no network. The same command resumes.

    \b
    Examples:
      worldgauge demo
      worldgauge demo --out /tmp/demo
      worldgauge demo --cases 1
    """
    from worldgauge.benchmarks.pocket.demo import BLOCKS, Demo
    from worldgauge.report.tables import terminal_cells

    started, made = time.monotonic(), Demo(out, cases or len(BLOCKS))
    count = workers or os.cpu_count() or 1
    progress = StepLines()
    try:
        benchmark = made.make_benchmark(count, progress)
        submissions = made.make_subjects(benchmark, count, progress)
        table = made.score(benchmark, submissions, count, progress)
        progress("report", 0, 1)
        page = made.write_report(table)
    except KeyboardInterrupt:
        say("stopped; the same command goes on from here.", err=True)
        raise typer.Exit(130) from None
    header, rows = terminal_cells(table)
    print_matrix(header, rows)
    for note in table.notes:
        print_note(note)
    say(f"benchmark  {made.benchmark}   (worldgauge run YOUR_VIDEOS --benchmark {made.benchmark})")
    say(f"tables     {made.report}/table.md, .csv, .json, .tex")
    say(f"report     {page}")
    say(f"done in {duration(time.monotonic() - started)}")
