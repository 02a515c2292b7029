"""`worldgauge status`: where a run stands."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from worldgauge.cli.finish import counted
from worldgauge.engine.scale.shard_status import status_of_shards
from worldgauge.engine.scale.shards import Shards, folder_of
from worldgauge.engine.status import DONE, LOST, RUNNING, STOPPED, RunStatus, run_status, together
from worldgauge.engine.tally import Tallies
from worldgauge.engine.watched_runs import watched_folder
from worldgauge.verbs import AsJson, duration, print_json, print_note, print_pairs, print_table

app = typer.Typer()
_REASONS = 5
"""Failures that are printed, the commonest first."""
_SHOWN, _NAMES = 0.005, 8
"""Least share of the workers' time that is told, and of how many networks and signals."""
_QUIET = 60.0
"""Seconds after which it is told how old the run's own words are."""


@app.command()
def status(
    run: Annotated[
        str,
        typer.Argument(help="Run folder or its URL, also while it is written.", metavar="RUN", show_default=False),
    ],
    as_json: AsJson = False,
) -> None:
    """Say what of a run is done, at work or lost, how fast it goes, why records have no score and when it will end.

    It reads the folder alone, so that a run on another machine can be watched over a shared disk or in a bucket.

    \b
    Examples:
      worldgauge status runs/model
      worldgauge status s3://lab/runs/model --json
    """
    whole, of_shard, problem = status_of(run)
    if as_json:
        each: dict[str, Any] = {str(shard): one.to_json() for shard, one in of_shard.items()}
        print_json({**whole.to_json(), **({"shards": each, "queue": problem} if of_shard else {})})
        return
    if of_shard:
        _print_shards(of_shard)
    print_pairs(status_lines(whole))
    for note in filter(None, [problem, _next(Path(run), whole, of_shard)]):
        print_note(note)


def status_of(
    place: str | Path, old: float = 0.0, tallies: Tallies | None = None
) -> tuple[RunStatus, dict[int, RunStatus], str]:
    """The whole of it, its shards where it has any, and why a queue could not be asked.

    What was fetched of a folder by URL less than `old` seconds ago is not asked for again, and what `tallies` have seen
    of records is not read again.
    """
    run = watched_folder(place, old)
    shards = Shards.read(run)
    if shards is None:
        return run_status(run, tallies=tallies), {}, ""
    of_shard, problem = status_of_shards(run, shards, tallies)
    return together(of_shard.values()), of_shard, problem


def status_lines(found: RunStatus) -> list[tuple[str, str]]:
    """Where it stands, each line with a name."""
    writer = f"{found.writer}{_heard(found.heard)}"
    lines = [
        ("state", f"{found.state} ({writer})" if writer else found.state),
        ("records", f"{found.written} of {found.expected}: {counted(found.statuses)}"),
    ]
    if found.rate is not None:
        lines.append(("speed", f"{found.rate:.3g} records per second"))
    left = found.seconds_left
    if left is not None:
        ends = time.strftime("%Y-%m-%d %H:%M", time.localtime(time.time() + left))
        lines.append(("expected", f"{duration(left)} left, until about {ends}"))
    if (progress := found.progress) is not None and found.state == RUNNING:
        done = f"{progress.done} of {progress.visits} done"
        told = f", as told {duration(found.told)} ago" if found.told is not None and found.told > _QUIET else ""
        lines.append(("clips", f"{done}, {progress.at_work} at work, {progress.waiting} waiting{told}"))
    busy = [f"{name} {share:.0%}" for name, share in found.busy.items() if share >= _SHOWN]
    if busy:
        lines.append(("busy", ", ".join(busy[:_NAMES]) + (", ..." if len(busy) > _NAMES else "")))
    if found.spent.calls:
        unknown = f", at most {found.spent.unknown:.4f} more whose price is not told" if found.spent.unknown else ""
        lines.append(("judge", f"{found.spent.calls} calls, {found.spent.cost:.4f} spent{unknown}"))
    lines += [("no score", f"{count} x {reason}") for reason, count in found.failures.most_common(_REASONS)]
    if len(found.failures) > _REASONS:
        lines.append(("", f"and for {len(found.failures) - _REASONS} more reasons"))
    return lines


def _heard(ago: float | None) -> str:
    """Of a writer by URL, which says every few seconds that it is there."""
    if ago is None:
        return ""
    return f", heard of {duration(ago)} ago" if math.isfinite(ago) else ", never heard of"


def _print_shards(of_shard: Mapping[int, RunStatus]) -> None:
    rows = []
    for shard, one in of_shard.items():
        left = one.seconds_left
        rate = "" if one.rate is None else f"{one.rate:.3g}"
        rows.append(
            [str(shard), one.state, str(one.written), str(one.expected), rate, "" if left is None else duration(left)]
        )
    print_table(["shard", "state", "records", "of", "per second", "left"], rows, numeric=(2, 3, 4))


def _next(run: Path, whole: RunStatus, of_shard: Mapping[int, RunStatus]) -> str:
    """What the user may do now."""
    if of_shard and whole.state == DONE:
        places = " ".join(str(folder_of(run, shard, len(of_shard))) for shard in of_shard)
        return f"All shards are done: worldgauge merge {places} --out {run / 'merged'}"
    if whole.state in (LOST, STOPPED):
        return "The same command as before goes on from there."
    return ""
