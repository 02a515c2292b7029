"""`worldgauge worldolympiad votes`: people's votes against scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from worldgauge.verbs import AsJson, print_json, print_note, print_table, say


def votes(
    file: Annotated[Path, typer.Argument(help="CSV: prompt, first, second, person, choice (first, second or tie).")],
    runs: Annotated[
        list[Path] | None, typer.Argument(help="Runs whose models were voted on.", show_default=False)
    ] = None,
    column: Annotated[str, typer.Option("--column", help="Score of the runs to compare with.")] = "All",
    published: Annotated[bool, typer.Option("--published", help="Compare with Table 3 of the paper.")] = False,
    as_json: AsJson = False,
) -> None:
    """S_human of every model (win 1, tie 0.5), and how scores rank against it, with a bootstrap over prompts.

    worldgauge worldolympiad votes votes.csv runs/longlive runs/wow runs/cosmos
    """
    from worldgauge.benchmarks.worldolympiad.study.votes import aligned, read_votes
    from worldgauge.benchmarks.worldolympiad.verbs.opened import opened_run
    from worldgauge.core.errors import WorldGaugeError
    from worldgauge.report.summary import summarise

    auto: dict[str, float] = {}
    for run in runs or ():
        opened = opened_run(run)
        score = summarise(opened).scores.get(column)
        if score is None or score.value is None:
            why = "it was not run" if score is None else score.reason
            raise WorldGaugeError(f"{run} has no {column}: {why}", "name another with --column")
        auto[opened.name] = score.value
    if published:
        from worldgauge.benchmarks.worldolympiad.analyses.published_scores import table

        auto |= {model: table("3").score(model, column) for model in table("3").rows}
    found = aligned(read_votes(file), auto)
    if as_json:
        told = {name: getattr(found, name) for name in ("spearman", "kendall", "pearson", "prompts", "pairs", "labels")}
        print_json({"models": found.rows(), **told, "intervals": found.intervals, "rate_sum": found.rate_sum})
        return
    rows = [
        [
            row["model"],
            f"{row['human']:.3f}",
            "{:.3f} to {:.3f}".format(*row["human_interval"]),
            "-" if row["auto"] is None else f"{row['auto']:.3f}",
            *(("-" if row[name] is None else str(row[name])) for name in ("human_rank", "auto_rank", "rank_gap")),
        ]
        for row in found.rows()
    ]
    head = ["model", "S_human", "95 %", column, "rank by people", "rank by score", "gap"]
    print_table(head, rows, range(1, len(head)))
    for name in ("spearman", "kendall", "pearson"):
        value, ends = getattr(found, name), found.intervals[name]
        number = "-" if value is None else f"{value:.3f}"
        say(f"{name}: {number}" + ("" if ends is None else f" ({ends[0]:.3f} to {ends[1]:.3f} over prompts)"))
    say(f"{found.prompts} prompts, {found.pairs} pairs of clips, {found.labels} labels")
    half = len(found.human) / 2
    if abs(found.rate_sum - half) > 1e-9:
        print_note(f"the rates sum to {found.rate_sum:.3f}, not {half:g}: models were not compared equally often")
