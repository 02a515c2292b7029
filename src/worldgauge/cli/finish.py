"""How a verb that leaves records ends: one line that counts them, and the exit code they ask for."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import typer

from worldgauge.cli.exits import FAULTS, tell
from worldgauge.core.status import Status
from worldgauge.report.summary import Commanded, Summary, sentences_on_nothing
from worldgauge.report.videos import PENDING
from worldgauge.verbs import print_note, say


def print_counts(summary: Summary) -> None:
    """One line that counts the records, where reasons are told, and what absent videos count as."""
    statuses = summary.statuses()
    say(f"records: {counted(statuses)}")
    if untold := [status for status in (Status.INVALID, Status.UNSCORED) if statuses.get(status)]:
        say(f"why: 'worldgauge show {summary.run.folder} --status {untold[0]}'")
    for note in summary.policy_notes():
        print_note(note)


def finish(
    done: Commanded,
    strict: bool = False,
    whole: bool = False,
    named: Collection[str] = (),
    part: bool = False,
) -> None:
    """Exit as the records of a command require. `done` are the summaries of its benchmarks with the cases it named.

    `whole`: under `strict` no video may be without a record. `named` are the metrics that were named: each must have a
    value in some case. `part`: the command did a shard.
    """
    failed = False
    for summary, _ in done:
        statuses, where = summary.statuses(), summary.run.folder
        if not whole:
            # Of another shard, or not asked for.
            statuses.pop(PENDING, None)
        if errors := statuses.get(Status.ERROR, 0):
            tell(f"{errors} records are errors: 'worldgauge show {where} --status error' lists them")
        unclean = any(n for status, n in statuses.items() if status not in (Status.OK, Status.SKIPPED))
        failed = failed or bool(errors) or (strict and unclean)
    for sentence in sentences_on_nothing(done, named, part):
        tell(sentence)
        failed = True
    if failed:
        raise typer.Exit(FAULTS)


def counted(statuses: Mapping[str, int]) -> str:
    """How many records of each status, in one line.

    >>> counted({"ok": 412, "missing": 2, "unscored": 3, "error": 0})
    '412 scored, 2 missing, 3 unscored'
    """
    others = [f"{n} {status}" for status, n in statuses.items() if n and status != Status.OK]
    return ", ".join([f"{statuses.get(Status.OK, 0)} scored", *others])
