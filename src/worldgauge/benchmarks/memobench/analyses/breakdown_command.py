"""`worldgauge memobench breakdown`: a run's scores by the tags of its cases."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from worldgauge.verbs import AsJson, print_json, print_note, print_table


def breakdown(
    run: Annotated[Path, typer.Argument(help="Run folder of the benchmark.", show_default=False)],
    by: Annotated[str, typer.Option(help="Tags, with commas between.")] = "environment,category,process",
    columns: Annotated[str, typer.Option(help="Ids of columns, with commas between; else the leaderboard's.")] = "",
    as_json: AsJson = False,
) -> None:
    """Scores by environment (synthetic clips), category and process of the state change (real clips), or other tags.

    worldgauge memobench breakdown runs/mymodel --by category --columns ORS,GT_R_PSNR
    """
    from worldgauge.benchmarks.memobench.analyses.breakdown import breakdown as by_tag
    from worldgauge.core.run_folder import Run

    rows = by_tag(Run(run), _names(by), _names(columns))
    if as_json:
        print_json(rows)
        return
    header = [name for name in rows[0] if name != "bounds"]
    cells = [[*(str(row[name]) for name in header[:3]), *(_cell(row[name]) for name in header[3:])] for row in rows]
    print_table(header, cells, numeric=range(2, len(header)), keys=2)
    if any("bounds" in row for row in rows):
        print_note("some scores leave out clips that have none; --json has the bounds")


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
