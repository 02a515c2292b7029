"""`worldgauge worldscore study`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from worldgauge.verbs import AsJson, print_json, print_table, say


def study(
    votes: Annotated[Path, typer.Argument(help="CSV of votes: question, first, second, person, choice.")],
    scores: Annotated[
        list[Path] | None, typer.Option("--scores", help="CSV with a column video and one per metric; repeatable.")
    ] = None,
    runs: Annotated[
        list[Path] | None, typer.Option("--run", help="Run folder; its videos are MODEL/case id; repeatable.")
    ] = None,
    more: Annotated[
        list[str] | None, typer.Option("--combination", help="A further one: 'MUSIQ & CLIP Aesthetic'; repeatable.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Which metrics prefer the videos that people prefer? Agreement in forced choices, beside the paper's Table S5.

    worldgauge worldscore study votes.csv --scores quality.csv
    """
    from worldgauge.benchmarks.worldscore.study.agreement import TWO_PEOPLE, UPPER_BOUND
    from worldgauge.benchmarks.worldscore.study.agreement import study as agreements
    from worldgauge.benchmarks.worldscore.study.votes import joined, read_scores, read_votes, run_scores
    from worldgauge.core.errors import WorldGaugeError
    from worldgauge.core.published import published_tables
    from worldgauge.core.run_folder import Run

    if not scores and not runs:
        raise WorldGaugeError("no metric to hold against the votes", "give --scores or --run")
    questions = read_votes(votes)
    known = joined([*(read_scores(file) for file in scores or ()), run_scores([Run(folder) for folder in runs or ()])])
    videos = {video for question in questions for video in (question.first, question.second)}
    found = agreements(questions, known, more or ())
    if not any(row.questions for row in found if row.name not in (UPPER_BOUND, TWO_PEOPLE)):
        example = min(videos)
        raise WorldGaugeError(f"no metric has a number for a video of the votes, such as '{example}'", "use its name")
    printed = next(table for table in published_tables("worldscore") if table.id == "paper-table-s5")
    paper = {name: printed.score(name, "agreement") for name in printed.rows}
    if as_json:
        print_json([row.to_json() | {"paper": paper.get(row.name)} for row in found])
        return
    rows = []
    for row in found:
        low_high = "-" if row.interval is None else f"{row.interval[0]:.3f} .. {row.interval[1]:.3f}"
        ours = "-" if row.value is None else f"{row.value:.3f}"
        theirs = f"{paper[row.name]:.3f}" if row.name in paper else "-"
        rows.append([row.name, ours, low_high, str(row.questions), theirs])
    print_table(["metric", "agreement", "95 %", "questions", "paper's people"], rows, [1, 2, 3, 4])
    say(f"{sum(question.votes for question in questions)} votes on {len(questions)} questions")
