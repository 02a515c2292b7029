"""`worldgauge run`: score videos."""

from __future__ import annotations

from typing import Any

import typer

from worldgauge.cli.exits import INTERRUPTED
from worldgauge.cli.finish import finish, print_counts
from worldgauge.cli.job_flags import JobFlags, takes_job_flags
from worldgauge.cli.options import Strict, Why
from worldgauge.cli.plan import plan_json, print_plan, print_why
from worldgauge.cli.progress import RunProgress
from worldgauge.cli.report import print_summary
from worldgauge.cli.scaled import (
    Address,
    DecoderCount,
    DryRun,
    ExecutorName,
    JudgeActors,
    Place,
    ShardCount,
    SlurmCluster,
    SlurmClusterName,
    SlurmOptions,
    TaskGpus,
    Where,
    WorkersPerGpu,
    chosen_place,
    submit_array,
)
from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine.fitting import execute_fitting
from worldgauge.engine.job import Job
from worldgauge.engine.plan import Plan, make_plans
from worldgauge.engine.possible import refuse_in_vain
from worldgauge.engine.run import Totals
from worldgauge.engine.run_places import bring, told_place
from worldgauge.report.summary import Summary, write_summary
from worldgauge.verbs import AsJson, print_json, print_pairs, say

app = typer.Typer()


@app.command()
@takes_job_flags
def run(
    flags: JobFlags,
    why: Why = False,
    strict: Strict = False,
    as_json: AsJson = False,
    executor: Where = ExecutorName.LOCAL,
    address: Address = "auto",
    judge_actors: JudgeActors = None,
    workers_per_gpu: WorkersPerGpu = None,
    decoders: DecoderCount = None,
    shards: ShardCount = 8,
    gpus: TaskGpus = 0,
    slurm: SlurmOptions = None,
    slurm_cluster: SlurmClusterName = SlurmCluster.SLURM,
    dry_run: DryRun = False,
) -> None:
    """Score videos. The same command resumes: finished records are kept, nothing is perceived twice.

    \b
    Examples:
      worldgauge run my_videos/                        every metric that needs no more than videos
      worldgauge run my_videos/ --reference truth/ --metrics psnr,ssim
      worldgauge run submission.json --benchmark cases/ --workers 4
      worldgauge run my_videos/ -b cases/ -b others/ -o runs/both      two benchmarks, each clip read once
      worldgauge run submission.json -b cases/ --executor ray          on a Ray cluster
    """
    if executor is ExecutorName.SLURM:
        submit_array(flags, shards, gpus, slurm, slurm_cluster, dry_run)
        return
    if dry_run:
        raise WorldGaugeError("--dry-run is for --executor slurm", "'worldgauge plan' says what a run would do")
    if judge_actors is not None and executor is not ExecutorName.RAY:
        raise WorldGaugeError("--judge-actors is for --executor ray", "elsewhere this process asks")
    if workers_per_gpu is not None and executor is not ExecutorName.RAY:
        raise WorldGaugeError("--workers-per-gpu is for --executor ray", "elsewhere --workers are spread over the GPUs")
    if decoders is not None and executor is not ExecutorName.RAY:
        raise WorldGaugeError("--decoders is for --executor ray", "elsewhere workers decode on their own cores")
    with chosen_place(executor, flags, address, judge_actors, workers_per_gpu or 1, decoders) as place:
        done = _execute(place, as_json)
    summaries = [write_summary(job.setup.out).of_columns([d.id for d in plan.definitions]) for job, plan, _ in done]
    for job, _, _ in done:
        bring(job.setup.out)
    if as_json:
        told = [_as_json(*of_job, summary) for of_job, summary in zip(done, summaries, strict=True)]
        print_json(told[0] if len(told) == 1 else {"runs": told})
    else:
        for (job, plan, totals), summary in zip(done, summaries, strict=True):
            print_summary(summary)
            print_counts(summary)
            print_why({**plan.impossible, **plan.excluded}, why)
            print_pairs(("judge", remark) for remark in totals.remarks)
            if waited := totals.waited:
                say(f"GPU waited {waited:.0%} for frames")
            say(f"run folder: {told_place(job.setup.out)}")
    first = done[0][0]
    of_cases = [(summary, job.only_cases) for (job, _, _), summary in zip(done, summaries, strict=True)]
    finish(of_cases, strict, named=first.named, part=first.shard[1] > 1)


def _execute(place: Place, as_json: bool) -> list[tuple[Job, Plan, Totals]]:
    jobs = place.jobs()
    plans = make_plans(jobs)
    planned = list(zip(jobs, plans, strict=True))
    refuse_in_vain(planned, here=place.here)
    if not as_json:
        for plan, job in zip(plans, jobs, strict=True):
            print_plan(plan, job)
    try:
        make = place.executor_for(planned)
        with RunProgress(sum(plan.records for plan in plans)) as progress:
            return execute_fitting(planned, progress.advance, say, progress.asked, make, place.opens)
    except KeyboardInterrupt:
        folders = ", ".join(str(job.setup.out) for job in jobs)
        say(f"stopped; every finished record is in {folders}. The same command goes on from there.", err=True)
        raise typer.Exit(INTERRUPTED) from None


def _as_json(job: Job, plan: Plan, totals: Totals, summary: Summary) -> dict[str, Any]:
    return {"plan": plan_json(plan), "counters": dict(totals.counters), **summary.to_json()}
