"""`worldgauge run`: score videos."""

from __future__ import annotations

import typer

from worldgauge.cli.options import JobFlags, Why, takes_job_flags
from worldgauge.cli.plan import plan_json, print_plan, print_why
from worldgauge.cli.progress import RunProgress
from worldgauge.cli.report import print_summary
from worldgauge.core.status import Status
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import Totals, execute
from worldgauge.report.summary import Summary, write_summary
from worldgauge.verbs import AsJson, print_json

app = typer.Typer()


@app.command()
@takes_job_flags
def run(flags: JobFlags, why: Why = False, as_json: AsJson = False) -> None:
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
            totals = execute(job, plan, progress.advance)
    except KeyboardInterrupt:
        typer.echo(
            f"stopped; every finished record is in {job.setup.out}. The same command goes on from there.", err=True
        )
        raise typer.Exit(130) from None
    summary = write_summary(job.setup.out)
    if as_json:
        print_json({"plan": plan_json(plan), "counters": dict(totals.counters), **summary.to_json()})
    else:
        print_summary(summary)
        print_why({**plan.impossible, **plan.excluded}, why)
        typer.echo(f"run folder: {job.setup.out}")
    finish(summary)


def finish(summary: Summary) -> None:
    """Exit with 1 when nothing was scored or our machinery failed somewhere; the table is already printed."""
    statuses = summary.statuses()
    errors = statuses[Status.ERROR]
    if errors:
        folder = summary.run.folder
        typer.echo(f"{errors} records are errors: 'worldgauge show {folder} --status error' lists them", err=True)
    if errors or not statuses[Status.OK]:
        raise typer.Exit(1)
