"""`worldgauge worldscore check`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from worldgauge.verbs import AsJson, print_json, print_table, say

FAULTS = 1
"""Exit code where something is wrong, as of `worldgauge validate`."""


def check(
    data: Annotated[Path, typer.Argument(help="The data set: its folder, one JSON list, or parquet files.")],
    counts: Annotated[
        bool, typer.Option("--composition/--no-composition", help="Hold the counts against the paper's Table S4.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Is the data set whole? Records, pictures and masks, and the counts of the paper's Table S4.

    One line per fault; exit code 1 if there is any. Worlds of your own: --no-composition.
    """
    from worldgauge.benchmarks.worldscore.checks.dataset import check_dataset

    found = check_dataset(data, counts=counts)
    if as_json:
        print_json(found.to_json())
    else:
        rows = [[cell.part, cell.name, str(cell.found), f"{cell.expected:g}"] for cell in found.cells]
        rows += [["style", art, str(count), ""] for art, count in found.arts.items()]
        if rows:
            print_table(["part", "cell", "found", "expected"], rows, [2, 3])
        for fault in found.faults:
            say(f"fault  {fault}")
        say(f"{found.worlds} worlds, {found.twins} stylised twins, {len(found.faults)} faults")
    if found.faults:
        raise typer.Exit(FAULTS)
