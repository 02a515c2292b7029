"""`worldgauge worldolympiad`: WorldOlympiad's own files, checks of data and published arithmetic."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from worldgauge.benchmarks.worldolympiad.verbs.arithmetic import arithmetic
from worldgauge.benchmarks.worldolympiad.verbs.costs import plan
from worldgauge.benchmarks.worldolympiad.verbs.tables import claims, domains, families, sensitivity
from worldgauge.benchmarks.worldolympiad.verbs.times import app as times
from worldgauge.benchmarks.worldolympiad.verbs.votes import votes
from worldgauge.verbs import AsJson, StorePath, Unofficial, default_store, print_json, print_note, print_table, say

app = typer.Typer(help="WorldOlympiad: official files, data checks, published arithmetic.")
app.add_typer(times, name="times")
for verb in (plan, domains, sensitivity, arithmetic, claims, families, votes):
    app.command()(verb)

Tree = Annotated[Path, typer.Argument(help="The released tree: the repository, or its outputs_batch.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="Folder to write to.")]


@app.command()
def submissions(
    tree: Tree,
    out: Out,
    manifest: Annotated[
        list[Path] | None, typer.Option("--manifest", help="Only what this manifest names; repeatable.")
    ] = None,
) -> None:
    """Write a submission.json for every model whose videos lie in the tree, with their timestamp files.

    worldgauge worldolympiad submissions outputs_batch -o submissions
    worldgauge run submissions/longlive -b worldolympiad --data outputs_batch
    """
    from worldgauge.benchmarks.worldolympiad.data.cases import read_dataset
    from worldgauge.benchmarks.worldolympiad.data.importer import submission_of
    from worldgauge.benchmarks.worldolympiad.data.manifests import submissions_of
    from worldgauge.benchmarks.worldolympiad.data.tree import case_folders

    cases = read_dataset(tree)
    if manifest:
        made, remarks = submissions_of(manifest, tree, cases)
        for remark in remarks:
            print_note(remark)
    else:
        prefixes = sorted({prefix for folder in case_folders(tree) for prefix in folder.prefixes()})
        made = {prefix: submission_of(tree, prefix, cases) for prefix in prefixes}
    for prefix, found in made.items():
        file = out / prefix / "submission.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        found.write(file)
        say(f"{len(found.videos)} of {len(cases)} cases: {file}")


@app.command()
def manifests(
    tree: Tree,
    out: Out,
    model: Annotated[str, typer.Option("--model", help="Pipeline or prefix of its files, such as longlive.")],
) -> None:
    """Write the manifests of one model, a file per domain, as the released scheduler takes them; tell what is left out.

    worldgauge worldolympiad manifests outputs_batch --model longlive -o batch_manifests
    """
    from worldgauge.benchmarks.worldolympiad.data.manifests import manifest_rows, write_manifests

    rows, remarks = manifest_rows(tree, model)
    for remark in remarks:
        print_note(remark)
    for file, own in zip(write_manifests(rows, out), rows.values(), strict=True):
        say(f"{len(own)} cases: {file}")


@app.command()
def check(
    tree: Tree,
    videos: Annotated[bool, typer.Option(help="Whether videos are looked into, to compare times with them.")] = True,
    as_json: AsJson = False,
) -> None:
    """Tell what is odd in a tree: stale sidecars, judge files that are stuck, times that contradict their video."""
    from worldgauge.benchmarks.worldolympiad.data.checks import tree_remarks

    rows = [asdict(remark) for remark in tree_remarks(tree, videos)]
    if as_json:
        print_json(rows)
    elif rows:
        print_table(list(rows[0]), [[str(value) for value in row.values()] for row in rows])
    else:
        say("nothing odd")


@app.command()
def cases(tree: Tree, out: Out) -> None:
    """Write our cases.jsonl of a released tree: paths relative to the tree, so put it there, or copy the videos."""
    from worldgauge.benchmarks.worldolympiad.data.cases import read_dataset
    from worldgauge.core.case_file import FILE_NAME, write_cases

    out.mkdir(parents=True, exist_ok=True)
    found = read_dataset(tree)
    write_cases(out / FILE_NAME, found)
    say(f"{len(found)} cases: {out / FILE_NAME}")


@app.command()
def files(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    out: Out,
    prefix: Annotated[str, typer.Option(help="Prefix of the files, such as longlive; that of the model.")] = "",
    unofficial: Unofficial = False,
    store: StorePath = None,
) -> None:
    """Write the official files of a run: judge JSON per case, progress, score_summary.json and score_cases.csv.

    A run that is not official is refused with the reasons.
    """
    from worldgauge.benchmarks.worldolympiad.data.pipelines import prefix_of
    from worldgauge.benchmarks.worldolympiad.official.write import write_official
    from worldgauge.benchmarks.worldolympiad.verbs.opened import opened_run

    opened = opened_run(run)
    named = prefix or prefix_of(opened.file.model)
    for file in write_official(opened, out, named, store or default_store(), allow_unofficial=unofficial):
        say(str(file))


@app.command()
def reaggregate(
    tree: Tree,
    by_rule: Annotated[bool, typer.Option("--rules", help="The fourteen rules, each with what it rests on.")] = False,
    as_json: AsJson = False,
) -> None:
    """Score existing official judge files again, without any video: three physical definitions, both interactions.

    worldgauge worldolympiad reaggregate outputs_batch --rules
    """
    from worldgauge.benchmarks.worldolympiad.analyses.reaggregate import read_official

    found = read_official(tree)
    rows = [row for one in found for row in one.rule_rows()] if by_rule else [one.row() for one in found]
    if as_json:
        print_json(rows)
    elif by_rule:
        asked = [row for row in rows if row["judged"] or row["unknown"]]
        print_table(list(rows[0]), [[_cell(value) for value in row.values()] for row in asked], range(3, 9), keys=3)
        print_note(f"{len(rows) - len(asked)} rules applied to no case of a model and domain; --json has them")
    else:
        cells = [[_cell(value) for value in row.values()] for row in rows]
        print_table(list(rows[0]), cells, numeric=list(range(2, len(rows[0]))), keys=2)


def _cell(value: object) -> str:
    if isinstance(value, tuple):
        return f"{value[0]:.3f} to {value[1]:.3f}"
    return f"{value:.4f}" if isinstance(value, float) else "-" if value is None else str(value)


@app.command()
def relevance(
    runs: Annotated[list[Path], typer.Argument(help="Runs in which rules were asked about.", show_default=False)],
    tree: Annotated[Path, typer.Option("--data", help="The data set to freeze it with.")],
    store: StorePath = None,
) -> None:
    """Freeze which rules apply to which case, as a judge answered in these runs, into the data set's relevance.json."""
    from worldgauge.benchmarks.worldolympiad.analyses.freeze import freeze_relevance
    from worldgauge.benchmarks.worldolympiad.verbs.opened import opened_run

    file, count = freeze_relevance([opened_run(run) for run in runs], tree, store or default_store())
    say(f"{count} cases: {file}")


@app.command()
def targets(
    run: Annotated[Path, typer.Argument(help="Run in which a judge named what moves.")],
    tree: Annotated[Path, typer.Option("--data", help="The data set to keep them with.")],
    store: StorePath = None,
) -> None:
    """Keep the largest thing that moves in each reference in the data set's targets.json: the measured columns need it.

    A name and a box per case; what you know better you may write into the file yourself.
    """
    from worldgauge.benchmarks.worldolympiad.analyses.targets import freeze_targets
    from worldgauge.benchmarks.worldolympiad.verbs.opened import opened_run

    file, count = freeze_targets(opened_run(run), tree, store or default_store())
    say(f"{count} cases: {file}")


@app.command()
def agreement(
    run: Annotated[Path, typer.Argument(help="Run with a judge's verdicts and the measured columns.")],
    as_json: AsJson = False,
) -> None:
    """How far the judge agrees with what was measured: Cohen's kappa with a 95 % interval, rule by rule."""
    from worldgauge.benchmarks.worldolympiad.analyses.agreement import agreements
    from worldgauge.benchmarks.worldolympiad.verbs.opened import opened_run

    rows = [asdict(found) for found in agreements(opened_run(run))]
    if as_json:
        print_json(rows)
        return
    cells = [
        [f"{value:.3f}" if isinstance(value, float) else "-" if value in (None, "") else str(value) for value in row]
        for row in (list(one.values()) for one in rows)
    ]
    print_table(list(rows[0]), cells, numeric=list(range(2, 9)), keys=2)
