"""Scoring videos in this process, the numbers of a run, and a plug-in to score with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from worldgauge.api.building import build_job
from worldgauge.core.run_folder import Run
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute

PLUGIN = '''
"""A plug-in."""
from worldgauge import Measurement, metric
import trust_helper

@metric(unit="", higher_is_better=True, bounds=(0, 1))
def trust_number(case):
    """A number."""
    return Measurement(0.25 + trust_helper.MORE)
'''
"""One metric, whose number also rests on another file."""


def score(videos: Any, out: Path, **flags: Any) -> Run:
    """One run of the command, in this process."""
    job = build_job(videos, out=out, store=out.parent / "store", **{"metrics": "psnr,frame_similarity"} | flags)
    execute(job, make_plan(job))
    return Run(out)


def values(run: Run) -> dict[tuple[str, str], float | None]:
    return {(r["metric"], r["case"]): r.get("value") for r in run.records()}
