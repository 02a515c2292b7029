"""A run in shards: a folder for each, what was handed to whom, and the task that runs one of them."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from worldgauge.core.errors import WorldGaugeError

FILE_NAME, MARK = "shards.json", ".shard.json"
SCHEMA = 1
RUNNING, DONE, FAILED, KILLED = "running", "done", "failed", "killed"
_FINISHED = (0, 1)
"""Exit codes of a run that came to its end; 1 says that some records are errors."""
_LEAVE = 20.0
"""Seconds that a run is given to stop."""


@dataclass
class Shards:
    """`shards.json` of the folder that all shards lie in."""

    count: int
    cluster: str
    """Whom they were handed to: slurm, or processes of this machine."""
    jobs: dict[str, str] = field(default_factory=dict)
    """Number of a shard to the id of the job that last got it."""
    submitted: float = 0.0
    schema: int = SCHEMA

    @classmethod
    def read(cls, out: Path) -> Shards | None:
        """None where a folder was not run in shards."""
        file = out / FILE_NAME
        try:
            content = json.loads(file.read_bytes())
            if content["schema"] > SCHEMA:
                raise WorldGaugeError(f"{file} was written by a newer version", "update this one")
            return cls(**content)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise WorldGaugeError(f"{file} is damaged", "submit the run again: finished shards are kept") from error

    def write(self, out: Path) -> None:
        _replace(out / FILE_NAME, asdict(self))


def folder_of(out: Path, shard: int, count: int) -> Path:
    """The run folder of a shard."""
    return out / "shards" / f"{shard}of{count}"


@dataclass(frozen=True)
class Mark:
    """What the last task on a shard left there."""

    state: str
    job: str
    host: str = field(default_factory=socket.gethostname)
    pid: int = field(default_factory=os.getpid)
    time: float = field(default_factory=time.time)

    @classmethod
    def read(cls, folder: Path) -> Mark | None:
        """None where there is none; a damaged one is as good as none."""
        try:
            return cls(**json.loads((folder / MARK).read_bytes()))
        except (OSError, ValueError, TypeError, RecursionError):
            return None

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        _replace(folder / MARK, asdict(self))


@dataclass(frozen=True)
class ShardTask:
    """One shard as a job of a queue. It may be stopped and started again at any time, anywhere."""

    folder: Path
    arguments: tuple[str, ...]
    """Of the command, from the verb on."""
    working_directory: Path

    def __call__(self) -> int:
        """Run the shard to its end. A job that was put back into the queue after its end does nothing."""
        job, before = own_job(), Mark.read(self.folder)
        if before is not None and before.state == DONE and before.job == job:
            return 0
        Mark(RUNNING, job).write(self.folder)
        code = _run([sys.executable, "-m", "worldgauge", *self.arguments], self.working_directory)
        Mark(DONE if code in _FINISHED else KILLED if code < 0 else FAILED, job).write(self.folder)
        if code not in _FINISHED:
            # So that the queue, too, knows that it failed.
            how = f"ended with exit code {code}" if code > 0 else f"was ended by signal {-code}"
            raise WorldGaugeError(f"the shard in {self.folder} {how}", "its log says why")
        return code

    def checkpoint(self) -> Any:
        """What the queue is to run when it takes the machine away: the same again, which goes on where it stopped."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self)


def own_job() -> str:
    """The id of the queue's job that this process is, as it was given when it was submitted."""
    array, task = os.environ.get("SLURM_ARRAY_JOB_ID"), os.environ.get("SLURM_ARRAY_TASK_ID")
    if array and task:
        return f"{array}_{task}"
    return os.environ.get("SLURM_JOB_ID") or os.environ.get("SUBMITIT_LOCAL_JOB_ID") or str(os.getpid())


def _run(command: list[str], folder: Path) -> int:
    """The exit code of a command, which does not outlive this process where that is ended gently."""
    with subprocess.Popen(command, cwd=folder, preexec_fn=_deaf) as process:
        try:
            return process.wait()
        except BaseException:
            process.terminate()
            try:
                process.wait(_LEAVE)
            except subprocess.TimeoutExpired:
                process.kill()
            raise


def _deaf() -> None:
    """The queue tells all processes of a task that its time is over; this one, which puts it back, decides."""
    signal.signal(signal.SIGUSR2, signal.SIG_IGN)


def _replace(file: Path, content: dict[str, Any]) -> None:
    partial = file.with_name(f".{file.name.lstrip('.')}.partial")
    partial.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    partial.replace(file)
