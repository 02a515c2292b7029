"""`worldgauge score`: metrics again, from stored signals."""

from __future__ import annotations

import typer

from worldgauge.cli.exits import USAGE, tell
from worldgauge.cli.finish import finish, print_counts
from worldgauge.cli.job_flags import JobFlags, takes_job_flags
from worldgauge.cli.options import Strict
from worldgauge.cli.progress import RunProgress
from worldgauge.cli.report import print_summary
from worldgauge.engine.plan import make_plan
from worldgauge.engine.possible import refuse_in_vain
from worldgauge.engine.run import execute
from worldgauge.report.summary import write_summary
from worldgauge.verbs import AsJson, print_json

app = typer.Typer()


@app.command()
@takes_job_flags
def score(flags: JobFlags, strict: Strict = False, as_json: AsJson = False) -> None:
    """Compute metrics again from stored signals. No video is decoded and no instrument is loaded.

    Use it after a metric changed, or to try other metrics on signals that a run has left in the store.
    """
    job = flags.job()
    plan = make_plan(job)
    refuse_in_vain([(job, plan)])
    with RunProgress(plan.records) as progress:
        totals = execute(job, plan, progress.advance, perceive=False)
    summary = write_summary(job.setup.out).of_columns([d.id for d in plan.definitions])
    if as_json:
        print_json({"counters": dict(totals.counters), "not_stored": dict(totals.not_stored), **summary.to_json()})
    else:
        print_summary(summary)
        print_counts(summary)
    if totals.not_stored:
        names = ", ".join(f"{metric} ({count} cases)" for metric, count in sorted(totals.not_stored.items()))
        tell(f"signals not in the store for {names}: 'worldgauge run' with the same flags computes them")
        if not totals.statuses.total() and not plan.done_records:
            raise typer.Exit(USAGE)
    finish([(summary, job.only_cases)], strict, bool(totals.not_stored), job.named, job.shard[1] > 1)
