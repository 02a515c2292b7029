"""`worldgauge turntable` and `worldgauge inputs turntable`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from worldgauge import load_run
from worldgauge.verbs import AsJson, DataSet, RunFolder, print_json, print_table

from .data import read_cases

app = typer.Typer(help="Turntable's own tables.")
inputs_app = typer.Typer()


@app.callback()
def turntable() -> None:
    """Turntable's own tables."""


@app.command()
def worst(run: RunFolder, as_json: AsJson = False) -> None:
    """The case whose colours come back worst."""
    frame = load_run(run).to_pandas()
    row = frame[frame["metric"] == "colour"].sort_values("raw").iloc[-1]
    if as_json:
        print_json({"case": row["case"], "levels": row["raw"]})
    else:
        print_table(["case", "levels"], [[row["case"], f"{row['raw']:.2f}"]], [1])


@inputs_app.command()
def inputs(data: DataSet, out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to.")]) -> None:
    """Write prompt and camera path, one folder per case."""
    cases = read_cases(data)
    for case in cases:
        folder = out / case.id
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "prompt.txt").write_text(case.condition.prompt + "\n", "utf-8")
        case.camera().save(folder / "camera.npz")
    typer.echo(f"{len(cases)} cases: {out}")
