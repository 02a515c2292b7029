"""`worldgauge export`: a run for other programs and for a model card."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from worldgauge.core.column_file import is_large
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.engine.run_places import known_run
from worldgauge.report.card import model_card
from worldgauge.report.large_export import write_large_csv, write_large_parquet
from worldgauge.report.plain import csv_text
from worldgauge.report.summary import summarise
from worldgauge.verbs import say

app = typer.Typer()

_KINDS = ".parquet or .csv (one row per case and metric), .md (a fragment for a model card)"


@app.command()
def export(
    run: Annotated[Path, typer.Argument(help="A run folder.", parser=known_run, metavar="RUN", show_default=False)],
    out: Annotated[Path, typer.Option("--out", "-o", envvar="WORLDGAUGE_OUT", help=f"The file: {_KINDS}.")],
) -> None:
    """Write a run's records as Parquet or CSV, or its scores as a fragment for a model card.

    \b
    Examples:
      worldgauge export runs/pocket/mymodel -o records.parquet
      worldgauge export runs/pocket/mymodel -o card.md
    """
    opened = Run(run)
    try:
        if out.suffix == ".md":
            out.write_text(model_card(summarise(opened)), "utf-8")
        elif out.suffix == ".csv":
            _write_csv(opened, out)
        elif out.suffix == ".parquet":
            _write_parquet(opened, out)
        else:
            raise WorldGaugeError(f"cannot tell what to write from the name {out.name}", f"use {_KINDS}")
    except OSError as error:
        raise WorldGaugeError(f"cannot write {out} ({error.strerror or error})") from error
    say(str(out))


def _write_csv(run: Run, out: Path) -> None:
    """Texts of names and reasons are kept from being formulas; numbers are left as they are."""
    if is_large(run.folder):
        write_large_csv(run, out)
        return
    table = run.to_pandas()
    for column in table.select_dtypes(include=["object", "string"]):
        table[column] = table[column].map(lambda cell: csv_text(cell) if isinstance(cell, str) else cell)
    table.to_csv(out, index=False)


def _write_parquet(run: Run, out: Path) -> None:
    try:
        if is_large(run.folder):
            write_large_parquet(run, out)
        else:
            run.to_pandas().to_parquet(out, index=False)
    except ImportError as error:
        raise WorldGaugeError("Parquet needs pyarrow", "pip install 'worldgauge[parquet]'") from error
