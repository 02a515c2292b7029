"""Flags of `run` for many machines, and what they ask for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated

import typer

from worldgauge.api.machine import free_on_gpu
from worldgauge.cli.job_flags import JobFlags
from worldgauge.core.asking import OFFLINE, OpensJudge
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import included
from worldgauge.engine.executors import Executor, local_executor
from worldgauge.engine.job import Job, Setup
from worldgauge.engine.plan import Plan
from worldgauge.engine.run_places import Home
from worldgauge.engine.trial_import import include_tried
from worldgauge.verbs import print_text, say


class ExecutorName(StrEnum):
    """Where the work is done."""

    LOCAL, RAY, SLURM = "local", "ray", "slurm"


class SlurmCluster(StrEnum):
    """Who gets the shards."""

    SLURM, LOCAL = "slurm", "local"


Where = Annotated[
    ExecutorName,
    typer.Option("--executor", envvar="WORLDGAUGE_EXECUTOR", help="This machine, a Ray cluster or a Slurm queue."),
]
Address = Annotated[
    str,
    typer.Option(
        "--address",
        envvar="WORLDGAUGE_ADDRESS",
        help="Of the Ray cluster: auto, HOST:PORT, or local for one of its own.",
    ),
]
ShardCount = Annotated[
    int,
    typer.Option(
        "--shards", min=1, max=1_000_000, envvar="WORLDGAUGE_SHARDS", help="Slurm: tasks that share the cases."
    ),
]
TaskGpus = Annotated[
    int, typer.Option("--gpus", min=0, envvar="WORLDGAUGE_GPUS", help="Slurm: of each task; 0: one, if it needs any.")
]
SlurmOptions = Annotated[
    list[str] | None,
    typer.Option("--slurm", envvar="WORLDGAUGE_SLURM", help="An option of sbatch: partition=gpu; repeatable."),
]
SlurmClusterName = Annotated[
    SlurmCluster,
    typer.Option(
        "--slurm-cluster", envvar="WORLDGAUGE_SLURM_CLUSTER", help="local: shards as processes of this machine."
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", envvar="WORLDGAUGE_DRY_RUN", help="Slurm: print the script, submit nothing.")
]

JudgeActors = Annotated[
    int | None,
    typer.Option(
        "--judge-actors",
        min=0,
        envvar="WORLDGAUGE_JUDGE_ACTORS",
        help="Ray: actors that put a judge's questions, all within its limits; else one for a local model, "
        "and the driver asks others itself.",
    ),
]
WorkersPerGpu = Annotated[
    int | None,
    typer.Option(
        "--workers-per-gpu",
        min=1,
        envvar="WORLDGAUGE_WORKERS_PER_GPU",
        help="Ray: workers that share a GPU, each with all networks of a pass; else one.",
    ),
]
DecoderCount = Annotated[
    int | None,
    typer.Option(
        "--decoders",
        min=0,
        envvar="WORLDGAUGE_DECODERS",
        help="Ray: free cores that decode the next clips for workers; else those of nodes with GPUs, then others.",
    ),
]

MakeExecutor = Callable[..., Executor]


@dataclass(frozen=True)
class Place:
    """Where a run is done: the flags as they are there, and what makes its executor."""

    flags: JobFlags
    executor_for: Callable[[list[tuple[Job, Plan]]], MakeExecutor]
    gpus: int = 0
    """Of a cluster, where networks are to run on them,"""
    workers: int = 0
    """and the workers on them together."""
    opens: OpensJudge | None = None
    """What connects to a judge; None: this process."""
    here: bool = True
    """Whether this machine computes."""

    def jobs(self) -> list[Job]:
        """What the flags ask for. With the GPUs of a cluster a job is made for one worker of them."""
        jobs = self.flags.jobs()
        if not self.gpus:
            return jobs
        return [replace(job, workers=self.workers, setup=self._on_cluster(job.setup)) for job in jobs]

    def _on_cluster(self, setup: Setup) -> Setup:
        sharing = -(-self.workers // self.gpus)
        memory = setup.network_memory
        if memory is not None and self.flags.gpu_memory is None and free_on_gpu(setup.device):
            # What is free on a GPU of this machine, taken for what there is on each of the nodes.
            memory /= sharing
        return replace(setup, gpus=self.gpus, network_memory=memory)


@contextmanager
def chosen_place(
    executor: ExecutorName,
    flags: JobFlags,
    address: str,
    judge_actors: int | None = None,
    sharing: int = 1,
    decoders: int | None = None,
) -> Iterator[Place]:
    """This machine, or a cluster that is connected to as long as the run takes."""
    if executor is not ExecutorName.RAY:
        yield Place(flags, lambda planned: local_executor)
        return
    from worldgauge.engine.scale.cluster import connect, memory_of_worker
    from worldgauge.engine.scale.judge_actors import judges_on
    from worldgauge.engine.scale.ray_executor import on_cluster
    from worldgauge.engine.scale.resources import needed_by, places

    if flags.offline:
        os.environ[OFFLINE] = "1"
    for path in flags.include or ():
        include_tried(path, flags.time_limit)
    # One of its own has a core for each of those that were asked for.
    cluster = connect(address, included(), flags.workers + (decoders or 0) if flags.workers else 0)

    def executor_for(planned: list[tuple[Job, Plan]]) -> MakeExecutor:
        needed, nodes = needed_by(planned, sharing), cluster.nodes()
        if any(node.gpus for node in nodes) and not needed.gpus and any(plan.networks for _, plan in planned):
            say("the cluster has GPUs that this run does not use: --device cuda asks for them", err=True)
        count = places(nodes, needed)
        say(f"cluster: {len(nodes)} nodes, up to {min(count, flags.workers or count)} workers with {needed}", err=True)
        return on_cluster(cluster, planned, needed, flags.workers, decoders)

    try:
        nodes, on_gpu = cluster.nodes(), flags.device.startswith("cuda")
        count = int(sum(node.gpus * sharing if on_gpu else node.cpus for node in nodes))
        count = max(1, min(count, flags.workers or count))
        memory = memory_of_worker(nodes, on_gpu, sharing)
        # The driver's own cores and memory say nothing about those of the nodes.
        stated = flags.max_memory or (f"{memory >> 20}MB" if memory else None)
        there = replace(flags, workers=1 if on_gpu else count, max_memory=stated)
        gpus = -(-count // sharing) if on_gpu else 0
        yield Place(there, executor_for, gpus, count, judges_on(cluster, judge_actors), here=False)
    finally:
        cluster.close()


def submit_array(
    flags: JobFlags, count: int, gpus: int, options: list[str] | None, cluster: SlurmCluster, dry_run: bool
) -> None:
    """Hand the shards of a run to a queue, or print what it would be handed."""
    from worldgauge.engine.scale.slurm import in_shards, parse_options

    if flags.shard != "1/1":
        raise WorldGaugeError("--shard is set by --executor slurm for each task", "say how many with --shards")
    job = flags.job()
    if (home := Home.of(job.setup.out)) is not None:
        raise WorldGaugeError(
            f"the shards of a queue cannot be written to {home.place.url}",
            "give --out a folder on a disk that all nodes see; 'worldgauge merge ... --out URL' brings the whole there",
        )
    array = in_shards(job, count, sys.argv[1:], flags.workers, parse_options(options or ()), gpus)
    if dry_run:
        print_text(array.script())
        return
    at_work = f"{len(array.going_on)} shards are still in the queue or at work" if array.going_on else ""
    if not array.tasks and at_work:
        say(f"{at_work}, the others are finished: 'worldgauge status {array.out}' says where they stand")
        return
    if not array.tasks:
        say(f"all {array.count} shards are finished: 'worldgauge status {array.out}' says how to join them")
        return
    jobs = array.submit(cluster.value)
    finished = array.count - len(jobs) - len(array.going_on)
    others = [at_work, f"{finished} are finished" if finished else ""]
    say(", ".join([f"{len(jobs)} shards submitted as {jobs[0]} to {jobs[-1]}", *filter(None, others)]))
    say(f"'worldgauge status {array.out}' says where they stand; logs: {array.out / 'slurm'}")
