"""`worldgauge run`: score videos."""

from __future__ import annotations

import typer

from worldgauge.cli.exits import INTERRUPTED
from worldgauge.cli.finish import finish, print_counts
from worldgauge.cli.options import JobFlags, Strict, Why, takes_job_flags
from worldgauge.cli.plan import plan_json, print_plan, print_why
from worldgauge.cli.progress import RunProgress
from worldgauge.cli.report import print_summary
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import Totals, execute
from worldgauge.report.summary import write_summary
from worldgauge.verbs import AsJson, print_json, print_pairs, say

app = typer.Typer()


@app.command()
@takes_job_flags
def run(flags: JobFlags, why: Why = False, strict: Strict = False, as_json: AsJson = False) -> None:
    """Score videos. The same command resumes: finished records are kept, nothing is perceived twice.

    \b
    Examples:
      worldgauge run my_videos/                        every metric that needs no more than videos
      worldgauge run my_videos/ --reference truth/ --metrics psnr,ssim
      worldgauge run submission.json --benchmark cases/ --workers 4
    """
    job = flags.job()
    plan = make_plan(job)
    if not as_json:
        print_plan(plan, job)
    totals = Totals()
    try:
        with RunProgress(plan.records) as progress:
            totals = execute(job, plan, progress.advance, on_asked=progress.asked)
    except KeyboardInterrupt:
        say(f"stopped; every finished record is in {job.setup.out}. The same command goes on from there.", err=True)
        raise typer.Exit(INTERRUPTED) from None
    summary = write_summary(job.setup.out)
    if as_json:
        print_json({"plan": plan_json(plan), "counters": dict(totals.counters), **summary.to_json()})
    else:
        print_summary(summary)
        print_counts(summary)
        print_why({**plan.impossible, **plan.excluded}, why)
        print_pairs(("judge", remark) for remark in totals.remarks)
        say(f"run folder: {job.setup.out}")
    finish(summary, strict)
