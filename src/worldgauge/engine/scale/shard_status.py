"""Where the shards of a run stand, from their folders, their marks and the queue."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from socket import gethostname

from worldgauge.core.run_file import FILE_NAME as RUN_FILE
from worldgauge.engine.scale.shards import DONE as MARKED_DONE
from worldgauge.engine.scale.shards import FAILED, KILLED, Mark, Shards, folder_of
from worldgauge.engine.scale.shards import RUNNING as MARKED_RUNNING
from worldgauge.engine.status import DONE, LOST, RUNNING, STOPPED, WAITING, RunStatus, run_status
from worldgauge.engine.tally import Tallies
from worldgauge.engine.writing import is_there

SLURM, LOCAL = "slurm", "local"
"""Whom shards are handed to."""
_ASKING = 20.0
"""Seconds that Slurm has for an answer."""


def status_of_shards(out: Path, shards: Shards, tallies: Tallies | None = None) -> tuple[dict[int, RunStatus], str]:
    """Of each shard; and why the queue could not be asked, where it could not."""
    queued, problem = _queue(shards) if shards.cluster == SLURM else (None, "")
    found = {}
    for shard in range(1, shards.count + 1):
        folder, job = folder_of(out, shard, shards.count), shards.jobs.get(str(shard), "")
        own = run_status(folder, tallies=tallies) if (folder / RUN_FILE).exists() else RunStatus(WAITING)
        found[shard] = replace(own, state=_state(own.state, Mark.read(folder), queued, job))
    return found, problem


def still_going_on(out: Path, shards: Shards) -> tuple[frozenset[int], str]:
    """Shards that the queue has, waiting or at work, or that a process of this machine is at; and, where that is not
    known, why.

    A second task on the same folder would break the lock of the first, since nobody can tell it from one that a lost
    machine left.
    """
    if shards.cluster == SLURM:
        queued, problem = _queue(shards) if shards.jobs else ({}, "")
        return frozenset(int(shard) for shard, job in shards.jobs.items() if job in (queued or {})), problem
    marks = {shard: Mark.read(folder_of(out, shard, shards.count)) for shard in range(1, shards.count + 1)}
    return frozenset(
        shard
        for shard, mark in marks.items()
        if mark is not None and mark.state == MARKED_RUNNING and mark.host == gethostname() and is_there(mark.pid)
    ), ""


def _state(from_records: str, mark: Mark | None, queued: Mapping[str, str] | None, job: str) -> str:
    """What the queue says of a job that it has, else what the task itself has left, else what the records tell."""
    if from_records == DONE:
        return DONE
    if queued is not None and job:
        if job in queued:
            return RUNNING if queued[job] in ("RUNNING", "COMPLETING") else WAITING
        # Nobody will go on with it.
        return STOPPED if mark is not None and mark.state in (MARKED_DONE, FAILED) else LOST
    if mark is not None and mark.state == KILLED:
        return LOST
    if mark is not None and mark.state == MARKED_RUNNING:
        # Between its mark and its first look at the folder nothing is there yet.
        return RUNNING if from_records == WAITING else from_records
    return from_records


def _queue(shards: Shards) -> tuple[dict[str, str] | None, str]:
    """Jobs of the array that Slurm still has, each with its state; None where it cannot be asked.

    Finished jobs are forgotten, and an installation without accounting has no other memory.
    """
    arrays = sorted({job.partition("_")[0] for job in shards.jobs.values()})
    command = ["squeue", "--noheader", "--array", "--jobs", ",".join(arrays), "--format", "%i %T"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_ASKING, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, f"Slurm cannot be asked ({error}): told from records alone"
    if done.returncode and "Invalid job id" not in done.stderr:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        return None, f"Slurm cannot be asked ({lines[-1]}): told from records alone"
    words = [line.split() for line in done.stdout.splitlines()]
    return {line[0]: line[1] for line in words if len(line) == 2}, ""
