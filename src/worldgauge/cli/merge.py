"""`worldgauge merge`: shards, and runs made apart, into one run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from worldgauge.cli.finish import finish, print_counts
from worldgauge.cli.options import Strict
from worldgauge.cli.report import print_summary
from worldgauge.core.contents import Contents
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.core.sources import copy_sources
from worldgauge.engine.joining import join_records
from worldgauge.engine.run_places import bringing, known_run, run_at, told_place
from worldgauge.engine.writing import writing
from worldgauge.report.comparable import check_comparable
from worldgauge.report.summary import write_summary
from worldgauge.verbs import say

app = typer.Typer()


@app.command()
def merge(
    runs: Annotated[
        list[Path],
        typer.Argument(help="Run folders, also by URL.", parser=known_run, metavar="RUN", show_default=False),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            envvar="WORLDGAUGE_OUT",
            parser=run_at,
            metavar="FOLDER|URL",
            help="The joined run; a new folder.",
        ),
    ],
    strict: Strict = False,
) -> None:
    """Join runs of one model into one run folder: shards, or runs made apart. Of one run, only what counts is kept.

    Of a metric and video that several measured, the first that is no error stays. Runs whose definitions or data differ
    are refused.

    \b
    Examples:
      worldgauge merge runs/model/shards/* --out runs/model/merged
      worldgauge merge s3://lab/runs/camera s3://lab/runs/quality --out runs/both
    """
    opened = [Run(folder) for folder in runs]
    first = opened[0].file
    for run in opened:
        if run.file.older:
            raise WorldGaugeError(
                f"{run.folder} was made by an older version: it can be read, not merged", "run its shard again"
            )
        if run.file.model != first.model:
            raise WorldGaugeError(
                f"{run.folder} is a run of '{run.name}', {runs[0]} of '{first.model.name}'", "merge one model's runs"
            )
    _refuse_twice(runs)
    check_comparable(opened)
    contents = _joined_contents(opened)
    out.mkdir(parents=True, exist_ok=True)
    # As a run does: two that merge into one place at once would leave a mixture.
    with writing(out), bringing(out):
        if any(not file.name.startswith(".") for file in out.iterdir()):
            raise WorldGaugeError(f"{told_place(out)} is not empty", "name a new folder")
        _write(opened, contents, out)
        summary = write_summary(out)
    print_summary(summary)
    print_counts(summary)
    say(f"run folder: {told_place(out)}")
    finish([(summary, ())], strict, whole=True)


def _write(runs: Sequence[Run], contents: Contents | None, out: Path) -> None:
    """The run that all of them are together."""
    first, folders = runs[0].file, [run.folder for run in runs]
    join_records(runs, out)
    _join_judges(folders, out)
    if contents is not None:
        contents.write(out)
    copy_sources(folders[0], out)
    invocations = [invocation for run in runs for invocation in run.file.invocations]
    definitions = {d.id: d for run in runs for d in run.file.definitions}
    order = {use.id: i for i, use in enumerate(first.benchmark.metrics)}
    ordered = sorted(definitions.values(), key=lambda d: order.get(d.id, len(order)))
    first.model_copy(update={"invocations": invocations, "definitions": ordered}).write(out)


def _refuse_twice(runs: Sequence[Path]) -> None:
    places = [folder.resolve() for folder in runs]
    twice = next((folder for k, folder in enumerate(places) if folder in places[:k]), None)
    if twice is not None:
        raise WorldGaugeError(f"{twice} is named twice", "name each run once")


def _join_judges(runs: Sequence[Path], out: Path) -> None:
    """What the judges were asked and what they said, of all shards: each attempt and each ballot once."""
    from worldgauge.core.ballots import read_ballots, write_ballots
    from worldgauge.judge.ledger import join_ledgers

    join_ledgers(runs, out)
    ballots = [ballot for folder in runs for ballot in read_ballots(folder)]
    write_ballots(out, {(one.case, one.take, one.signal, one.question): one for one in ballots}.values())


def _joined_contents(runs: Sequence[Run]) -> Contents | None:
    """What all runs hold."""
    joined: Contents | None = None
    for run in runs:
        if run.contents is not None:
            joined = joined or Contents(run.file.identity)
            _add_videos(joined, run)
    return joined


def _add_videos(joined: Contents, run: Run) -> None:
    """A shard that was made before a video was replaced is no part of the others' run."""
    assert run.contents is not None
    for key, parts in run.contents.videos.items():
        before = joined.videos.get(key, {})
        part = next((part for part, digest in parts.items() if before.get(part, digest) != digest), None)
        if part is not None:
            raise WorldGaugeError(
                f"case '{key[0]}' changed between the runs: {run.folder} has {part} {parts[part]}, "
                f"the ones before it {part} {before[part]}",
                "run them again over the same videos and cases",
            )
        joined.videos[key] = {**before, **parts}
