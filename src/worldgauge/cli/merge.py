"""`worldgauge merge`: shards into one run."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from worldgauge.cli.finish import finish, print_counts
from worldgauge.cli.options import Strict
from worldgauge.cli.report import print_summary
from worldgauge.core.contents import Contents, VideoKey
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.core.sources import copy_sources
from worldgauge.report.comparable import check_comparable
from worldgauge.report.summary import write_summary
from worldgauge.verbs import say

app = typer.Typer()


@app.command()
def merge(
    runs: Annotated[list[Path], typer.Argument(help="Run folders of the shards.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", "-o", envvar="WORLDGAUGE_OUT", help="The joined run; a new folder.")],
    strict: Strict = False,
) -> None:
    """Join the runs of shards, made with --shard on any machines, into one run folder."""
    opened = [Run(folder) for folder in runs]
    first = opened[0].file
    for run in opened:
        if run.file.older:
            raise WorldGaugeError(
                f"{run.folder} was made by an older version: it can be read, not merged", "run its shard again"
            )
        if run.file.model != first.model:
            raise WorldGaugeError(
                f"{run.folder} is a run of '{run.name}', {runs[0]} of '{first.model.name}'", "merge one model's shards"
            )
    check_comparable(opened)
    contents = _joined_contents(opened)
    if out.exists() and any(out.iterdir()):
        raise WorldGaugeError(f"{out} is not empty", "name a new folder")
    out.mkdir(parents=True, exist_ok=True)
    for number, run in enumerate(opened):
        for file in sorted(run.folder.glob("records-*.jsonl")):
            shutil.copyfile(file, out / file.name.replace("records-", f"records-{number}-", 1))
    _join_judges(runs, out)
    if contents is not None:
        contents.write(out)
    copy_sources(opened[0].folder, out)
    invocations = [invocation for run in opened for invocation in run.file.invocations]
    definitions = {d.id: d for run in opened for d in run.file.definitions}
    first.model_copy(update={"invocations": invocations, "definitions": list(definitions.values())}).write(out)
    summary = write_summary(out)
    print_summary(summary)
    print_counts(summary)
    say(f"run folder: {out}")
    finish(summary, strict, whole=True)


def _join_judges(runs: Sequence[Path], out: Path) -> None:
    """What the judges were asked and what they said, of all shards: each attempt and each ballot once."""
    from worldgauge.core.ballots import read_ballots, write_ballots
    from worldgauge.judge.ledger import join_ledgers

    join_ledgers(runs, out)
    ballots = [ballot for folder in runs for ballot in read_ballots(folder)]
    write_ballots(out, {(one.case, one.take, one.signal, one.question): one for one in ballots}.values())


def _joined_contents(runs: Sequence[Run]) -> Contents | None:
    """What all shards hold. A video that two of them measured belongs to no two shards."""
    joined: Contents | None = None
    owner: dict[VideoKey, Path] = {}
    for run in runs:
        measured = {(record["case"], record.get("take", 0)) for record in run.counting()}
        twice = next((key for key in sorted(measured) if key in owner), None)
        if twice is not None:
            raise WorldGaugeError(
                f"{owner[twice]} and {run.folder} both measured case '{twice[0]}'", "name each shard once"
            )
        owner |= dict.fromkeys(measured, run.folder)
        if run.contents is not None:
            joined = joined or Contents(run.file.identity)
            _add_videos(joined, run)
    return joined


def _add_videos(joined: Contents, run: Run) -> None:
    """A shard that was made before a video was replaced is no part of the others' run."""
    assert run.contents is not None
    for key, parts in run.contents.videos.items():
        before = joined.videos.get(key, {})
        if any(before.get(part, digest) != digest for part, digest in parts.items()):
            raise WorldGaugeError(
                f"case '{key[0]}' changed between the shards: {run.folder} saw another than the ones before it",
                "run the shards again over the same videos and cases",
            )
        joined.videos[key] = {**before, **parts}
