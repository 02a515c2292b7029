"""Scores by subdomain, as in the paper's Figure 7: indoor and outdoor, style, size of the world, category."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from worldgauge.benchmarks.worldscore.official.aspects import ASPECTS
from worldgauge.core.run_folder import Run
from worldgauge.report.joint import Joint

DOMAINS = ("scene", "style", "world", "category", "motion")
"""Tags the scores are broken down by."""
TOTALS = ("static", "dynamic")


def breakdown(run: Run, domains: Sequence[str] = DOMAINS) -> list[dict[str, Any]]:
    """One row per value of each domain: cases, and every aspect and total that has a score over them.

    The same tree as for the whole: a total of which an aspect has no score there has none. `bounds` tells what scores
    could be where clips have none.
    """
    joint = Joint([run])
    tags = run.tags()
    rows = []
    for domain in domains:
        for value in sorted({of_case[domain] for of_case in tags.values() if domain in of_case}):
            chosen = np.array([tags[case].get(domain) == value for case in joint.cases])
            part = joint.part(chosen)
            scores = dict(zip(part.ids, part.scores[0], strict=True))
            told = {name: float(scores[name]) for name in ASPECTS if np.isfinite(scores.get(name, np.nan))}
            totals = {name: float(scores[name]) if np.isfinite(scores[name]) else None for name in TOTALS}
            scored = np.isfinite(part.values[0]).any(axis=0)
            open_ends = {name: ends for name, ends in part.open_bounds(0).items() if name in (*ASPECTS, *TOTALS)}
            bounds = {"bounds": open_ends} if open_ends else {}
            rows.append({"domain": domain, "value": value, "cases": int(scored.sum()), **told, **totals, **bounds})
    return rows
