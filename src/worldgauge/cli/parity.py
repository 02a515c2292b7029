"""`worldgauge parity`: reproduce recorded outputs of a benchmark's released code."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from worldgauge.cli.exits import FAULTS

app = typer.Typer()


@app.command()
def parity(
    folder: Annotated[Path, typer.Argument(help="Folder with index.json: recorded inputs and outputs.")],
    data: Annotated[
        Path | None, typer.Option("--data", help="The benchmark's data set, for calls that refer to it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print every verdict as JSON.")] = False,
) -> None:
    """Compare our arithmetic with recorded outputs of the released code. Exit code 1 when something differs."""
    from dataclasses import asdict

    from worldgauge.parity import run_parity
    from worldgauge.verbs import print_json, print_table, say

    verdicts = run_parity(folder, data)
    kinds = list(dict.fromkeys(verdict.kind for verdict in verdicts))
    differing = [verdict for verdict in verdicts if verdict.outcome == "differing"]
    if as_json:
        print_json([asdict(verdict) for verdict in verdicts])
    else:
        rows = []
        for kind in [*kinds, "all"]:
            of_kind = [v for v in verdicts if kind in (v.kind, "all")]
            matched = [v for v in of_kind if v.outcome == "matched"]
            counts = [len(matched), sum(bool(v.detail) for v in matched)]
            counts += [sum(v.outcome == outcome for v in of_kind) for outcome in ("differing", "not applicable")]
            rows.append([kind, str(len(of_kind)), *map(str, counts)])
        print_table(["kind", "items", "matched", "of them by status", "differing", "not applicable"], rows, range(1, 6))
        for verdict in differing:
            say(f"differs: {verdict.id}: {verdict.detail}")
    if differing:
        raise typer.Exit(FAULTS)
