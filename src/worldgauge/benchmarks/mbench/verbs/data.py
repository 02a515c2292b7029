"""`worldgauge mbench check`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from worldgauge.verbs import AsJson, print_json, print_table, say

FAULTS = 1
"""Exit code where something is wrong, as of `worldgauge validate`."""
Data = Annotated[Path, typer.Argument(help="Folder of MBench-A or MBench-T, or of cases.jsonl.", show_default=False)]


def check(
    data: Data,
    protocol: Annotated[str, typer.Option("--protocol", help="Protocol whose scores are asked about.")] = "paper",
    counts: Annotated[
        bool, typer.Option("--composition/--no-composition", help="Hold the counts against the release.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """What does each score lack, and is the data set whole? Counts of the release beside those found.

    Exit code 1 where captions or lengths are wrong or counts differ. What a case lacks is nobody's fault.
    """
    from worldgauge.benchmarks.mbench.data.composition import composition
    from worldgauge.benchmarks.mbench.data.lacks import faults_of, lacks_of
    from worldgauge.core.benchmark import load_benchmark

    loaded = load_benchmark("mbench", data)
    cells = composition(loaded.cases) if counts else []
    lacks = lacks_of(loaded.file, loaded.cases, protocol)
    faults = list(faults_of(loaded.cases))
    if as_json:
        print_json(
            {
                "cases": len(loaded.cases),
                "composition": [vars(cell) | {"holds": cell.holds} for cell in cells],
                "lacks": [vars(lack) | {"cases": list(lack.cases)} for lack in lacks],
                "faults": faults,
            }
        )
    else:
        if cells:
            rows = [[c.setting, c.part, str(c.found), str(c.expected)] for c in cells]
            print_table(["setting", "clips", "found", "released"], rows, [2, 3], keys=2)
        rows = [[lack.column, lack.part, f"{len(lack.cases)} of {lack.of}", lack.cases[0]] for lack in lacks]
        if rows:
            print_table(["score", "lacks", "cases", "for example"], rows, [2])
        for fault in faults:
            say(f"fault  {fault}")
        say(f"{len(loaded.cases)} clips, {len(faults)} faults")
    if faults or not all(cell.holds for cell in cells):
        raise typer.Exit(FAULTS)
