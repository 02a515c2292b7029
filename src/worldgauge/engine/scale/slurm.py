"""A run as an array of a Slurm queue, a shard for each task, submitted by submitit."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine.job import Job
from worldgauge.engine.plan import Plan, make_plan
from worldgauge.engine.possible import refuse_in_vain
from worldgauge.engine.scale.resources import Resources, needed_by
from worldgauge.engine.scale.shard_status import LOCAL, SLURM, still_going_on
from worldgauge.engine.scale.shards import Shards, ShardTask, folder_of

_WORKERS = 4
"""Of a task without a GPU, where none are asked for."""
_LEAST_MINUTES, _MARGIN = 60, 3
"""A task's time: that many times what the plan expects, and no less than this: plans do not know every machine."""
_AT_ONCE = 256


@dataclass(frozen=True)
class Profile:
    """What one task of the array asks for."""

    cpus: int
    gpus: int
    gigabytes: int
    minutes: int
    workers: int

    @classmethod
    def of(cls, worker: Resources, seconds: float, asked: int = 0, gpus: int = 0) -> Profile:
        """For workers that need so much, and a shard that takes one of them so many seconds.

        `gpus` are those of the task, which its workers are spread over; 0: one, where workers need any.
        """
        if gpus and not worker.gpus:
            raise WorldGaugeError(
                f"--gpus {gpus}: no network of this run is for a GPU", "say --device cuda where there are networks"
            )
        on = gpus or worker.gpus
        workers = asked or on or _WORKERS
        if workers < on:
            raise WorldGaugeError(f"--workers {workers} leaves some of the {on} GPUs idle", "give each GPU a worker")
        minutes = max(_LEAST_MINUTES, math.ceil(seconds / workers * _MARGIN / 60))
        return cls(worker.cpus * workers, on, worker.gigabytes * workers, minutes, workers)

    def parameters(self, name: str, extra: Mapping[str, str]) -> dict[str, Any]:
        """For submitit's Slurm executor. `extra` are options of sbatch, which beat ours."""
        own: dict[str, Any] = {
            "job_name": name,
            "time": self.minutes,
            "cpus_per_task": self.cpus,
            "mem": f"{self.gigabytes}GB",
            "array_parallelism": _AT_ONCE,
            # Since Slurm 22.05 a step no longer has the cores of its job unless it asks for them.
            "setup": ["export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK"],
            # Spelled as ours are, so that there is one line for each option.
            "additional_parameters": {option.replace("-", "_"): value or True for option, value in extra.items()},
        }
        return own | ({"gpus_per_node": self.gpus} if self.gpus else {})


@dataclass(frozen=True)
class Submission:
    """An array that can be written down or submitted."""

    out: Path
    count: int
    profile: Profile
    tasks: Mapping[int, ShardTask]
    """Number of a shard to its task, for those with something left to do."""
    extra: Mapping[str, str]
    going_on: frozenset[int] = frozenset()
    """Shards that are not finished and that somebody has: they are not handed over a second time."""
    unknown: str = ""
    """Why nobody knows which those are."""

    def script(self) -> str:
        """What sbatch would get."""
        executor = _executor(_logs(self.out), anywhere=True)
        executor.update_parameters(**self._parameters())
        if len(self.tasks) > 1:
            executor.parameters["map_count"] = len(self.tasks)
        return str(executor._make_submission_file_text(executor._submitit_command_str, "array"))

    def submit(self, cluster: str = SLURM) -> list[str]:
        """Hand the tasks over; ids of the jobs, in the order of the shards."""
        folder = _logs(self.out)
        folder.mkdir(parents=True, exist_ok=True)
        if cluster == LOCAL:
            executor = _submitit().LocalExecutor(folder)
            executor.update_parameters(timeout_min=self.profile.minutes)
        else:
            if shutil.which("sbatch") is None or shutil.which("srun") is None:
                raise WorldGaugeError(
                    "Slurm cannot be reached: there is no sbatch here",
                    "submit from a login node; --dry-run prints the script, --slurm-cluster local runs it here",
                )
            if self.unknown:
                # Better no task than two that write to one folder.
                raise WorldGaugeError(self.unknown.partition(":")[0], "say it again when it answers")
            executor = _executor(folder)
            executor.update_parameters(**self._parameters())
        jobs = self._handed_over(executor)
        shards = Shards.read(self.out) or Shards(self.count, cluster)
        shards.cluster, shards.submitted = cluster, time.time()
        shards.jobs |= {str(shard): str(job.job_id) for shard, job in zip(self.tasks, jobs, strict=True)}
        shards.write(self.out)
        return [str(job.job_id) for job in jobs]

    def _handed_over(self, executor: Any) -> list[Any]:
        try:
            with executor.batch():
                jobs = [executor.submit(task) for task in self.tasks.values()]
        except Exception as error:
            if not isinstance(error, (OSError, RuntimeError, _submitit().core.utils.FailedJobError)):
                raise
            lines = str(error).strip().splitlines() or [type(error).__name__]
            raise WorldGaugeError(
                f"Slurm refused the array: {lines[-1]}", "--slurm NAME=VALUE sets sbatch's options"
            ) from error
        return jobs

    def _parameters(self) -> dict[str, Any]:
        return self.profile.parameters(f"worldgauge-{self.out.name}", self.extra)


def in_shards(
    job: Job,
    count: int,
    arguments: Sequence[str],
    workers: int = 0,
    extra: Mapping[str, str] | None = None,
    gpus: int = 0,
) -> Submission:
    """The job as an array. Each shard is planned by itself: one that is finished, or still in the queue, is left out.

    `arguments` are those of the command, which each shard runs with its own number, folder and share of the purse.
    `workers` and `gpus` are those of one task.
    """
    out = job.setup.out
    before = Shards.read(out)
    # As when they were first submitted: there is no shard without a case.
    count = min(count, len(job.cases))
    if before is not None and before.count != count:
        raise WorldGaugeError(
            f"{out} is run in {before.count} shards", f"say --shards {before.count}, or choose another --out"
        )
    # The plan is for the GPUs of a task, which this machine need not have.
    job = replace(job, setup=replace(job.setup, gpus=gpus or job.setup.gpus))
    planned = {shard: _planned(job, shard, count) for shard in range(1, count + 1)}
    # Each task looks for what its machine lacks.
    refuse_in_vain([planned[1]], here=False)
    seconds = max(plan.seconds for _, plan in planned.values())
    profile = Profile.of(needed_by(planned.values()), seconds, workers, gpus)
    tasks = {
        shard: ShardTask(
            own.setup.out, (*arguments, *_flags(own, profile.workers), *_purse(job, count)), Path.cwd().absolute()
        )
        for shard, (own, plan) in planned.items()
        if plan.records
    }
    going_on, unknown = (frozenset[int](), "") if before is None else still_going_on(out, before)
    left = {shard: task for shard, task in tasks.items() if shard not in going_on}
    return Submission(out.absolute(), count, profile, left, extra or {}, going_on & tasks.keys(), unknown)


def parse_options(given: Iterable[str]) -> dict[str, str]:
    """
    >>> parse_options(["partition=gpu", "exclusive="])
    {'partition': 'gpu', 'exclusive': ''}
    """
    found = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals or not name.strip("-"):
            raise WorldGaugeError(f"--slurm {item}: expected NAME=VALUE", "write for example partition=gpu")
        found[name.lstrip("-")] = value
    return found


def _planned(job: Job, shard: int, count: int) -> tuple[Job, Plan]:
    folder = folder_of(job.setup.out, shard, count).absolute()
    own = replace(job, shard=(shard, count), setup=replace(job.setup, out=folder, record_prefix=f"{shard}of{count}-"))
    return own, make_plan(own)


def _flags(job: Job, workers: int) -> list[str]:
    """What makes the command that of one shard. The last of two equal flags counts."""
    shard, count = job.shard
    flags = [
        "--executor",
        "local",
        "--shard",
        f"{shard}/{count}",
        "--out",
        str(job.setup.out),
        "--workers",
        str(workers),
    ]
    # A machine that was taken away cannot release its lock, and the queue runs a task once at a time.
    return [*flags, "--break-lock"]


def _purse(job: Job, count: int) -> list[str]:
    """Each shard may spend its share, so that all together keep to the limit."""
    cost, calls = job.spending.cost, job.spending.calls
    if calls and calls < count:
        raise WorldGaugeError(
            f"--max-calls {calls} cannot be shared by {count} shards", "use fewer shards, or more calls"
        )
    flags = [] if cost is None else ["--max-cost", repr(cost / count)]
    return flags if calls is None else [*flags, "--max-calls", str(calls // count)]


def _logs(out: Path) -> Path:
    return out.absolute() / "slurm"


def _executor(folder: Path, anywhere: bool = False) -> Any:
    """Submitit's executor; `anywhere`: also where there is no Slurm, to write down what it would do."""
    known = _submitit().SlurmExecutor
    kind = type("Writer", (known,), {"affinity": classmethod(lambda cls: 2)}) if anywhere else known
    return kind(folder)


def _submitit() -> Any:
    try:
        import submitit
    except ImportError as error:
        raise WorldGaugeError("--executor slurm needs submitit", "pip install 'worldgauge[slurm]'") from error
    return submitit
