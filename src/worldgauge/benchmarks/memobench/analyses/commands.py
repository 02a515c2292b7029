"""Verbs over runs that are not one table of the paper: all of its tables at once, and the joint reading."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worldgauge.benchmarks.memobench.printing import print_rows, show_rows
from worldgauge.benchmarks.memobench.splits import Split
from worldgauge.core.registry import unknown_name
from worldgauge.core.run_folder import Run
from worldgauge.report.unofficial import MARK
from worldgauge.verbs import AsJson, RunFolders, StorePath, Unofficial, default_store, print_json, print_note, say

if TYPE_CHECKING:
    from worldgauge.benchmarks.memobench.analyses.in_form import MadeTable

SplitChoice = Annotated[Split, typer.Option("--split", help="all, synthetic or real.")]
AnswerFolders = Annotated[
    Path | None, typer.Option("--vqa-dir", help="<model>/*.csv: answers that give the four columns of the questions.")
]


def tables(
    runs: RunFolders,
    table: Annotated[str, typer.Option("--table", help="One table: 2, 3, s2, ..., s10; else all eleven.")] = "",
    vqa: AnswerFolders = None,
    split: SplitChoice = "all",
    store: StorePath = None,
    device: Annotated[str, typer.Option(help="Where networks run: cpu, cuda, ...")] = "cpu",
    unofficial: Unofficial = False,
    as_json: AsJson = False,
) -> None:
    """The paper's eleven tables in their form, made from runs; says of each that cannot be made why.

    Tables whose numbers are not official are refused with the reasons.

    worldgauge memobench tables runs/*
    """
    from worldgauge.benchmarks.memobench.analyses.in_form import MAKERS, Wish, official_tables
    from worldgauge.benchmarks.memobench.analyses.run_scores import read_answer_folders, unofficial_answers

    if table and table.lower() not in MAKERS:
        raise unknown_name("table", table, list(MAKERS))
    answers = read_answer_folders(vqa) if vqa is not None else None
    marks = unofficial_answers(vqa) if vqa is not None else {}
    wish = Wish([Run(folder) for folder in runs], store or default_store(), device, answers, split, marks)
    made = official_tables(wish, table.lower(), allow_unofficial=unofficial)
    if as_json:
        print_json([_table_json(each) for each in made])
        return
    for each in made:
        say(f"Table {each.name.upper()}, as in {each.printed.source}{f' ({MARK})' if each.unofficial else ''}")
        if each.why:
            print_note(f"not made: {each.why}")
        else:
            rows = [{"": each.shown(name)} | {c: row.get(c) for c in each.columns} for name, row in each.rows.items()]
            print_rows(rows, 3)
        for run, reasons in each.unofficial.items():
            print_note(f"not official, {run}: {'; '.join(reasons)}")


def _table_json(made: MadeTable) -> dict[str, Any]:
    marked = {MARK: {run: list(reasons) for run, reasons in made.unofficial.items()}} if made.unofficial else {}
    return {"table": made.name, "rows": made.rows, "why": made.why, **marked}


def joint(
    runs: RunFolders,
    metric: Annotated[str, typer.Option(help="Score of the object: ORS, or pocket_reappearance.")] = "ORS",
    camera: Annotated[float, typer.Option(help="From this camera score on the camera follows.")] = 50.0,
    target: Annotated[float, typer.Option("--object", help="From this score on the object is back.")] = 0.5,
    points: Annotated[bool, typer.Option("--points", help="One row per clip instead.")] = False,
    split: SplitChoice = "all",
    as_json: AsJson = False,
) -> None:
    """Camera control and object reappearance read together: how many clips have both, one, or neither."""
    from worldgauge.benchmarks.memobench.analyses.joint_reading import joint_points, joint_reading

    opened = [Run(folder) for folder in runs]
    known = {use.id for run in opened for use in run.file.benchmark.metrics}
    if metric not in known:
        raise unknown_name("metric", metric, sorted(known))
    show_rows(
        joint_points(opened, metric, split) if points else joint_reading(opened, metric, split, camera, target), as_json
    )
