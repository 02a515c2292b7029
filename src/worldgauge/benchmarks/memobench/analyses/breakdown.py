"""Scores by environment, category, process and other tags of the cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from worldgauge.benchmarks.memobench.data.tags import with_category
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.report.joint import Joint

TAGS = ("environment", "category", "process")
COLUMNS = (
    "VisualQuality", "MotionSmoothness", "ObjIdentityConsistency", "Geo3DConsistency", "ORS", "GT_ALL_PSNR",
    "GT_ALL_SSIM", "GT_ALL_LPIPS", "CameraControllability", "ImageRewardScore",
)  # fmt: skip
"""The columns of the leaderboard that a run can have."""


def breakdown(run: Run, by: Sequence[str] = TAGS, columns: Sequence[str] = ()) -> list[dict[str, Any]]:
    """One row per value of each tag: cases that have a score, and the columns that do; else None.

    Groups come up the same tree as over the whole run. Cases without the tag are in no row of it; a value the table
    could not tell is a row of its own, `unknown`. `bounds` tells what scores could be where clips have none.
    """
    joint = Joint([run])
    chosen = tuple(columns or (name for name in COLUMNS if name in joint.ids))
    absent = [name for name in chosen if name not in joint.ids]
    if absent:
        raise WorldGaugeError(f"the run has no column '{absent[0]}'", f"columns: {', '.join(joint.ids)[:300]}")
    tags = {case: with_category(of_case) for case, of_case in run.tags().items()}
    rows = []
    for tag in by:
        for value in sorted({of_case[tag] for of_case in tags.values() if tag in of_case}):
            part = joint.part(np.array([tags[case].get(tag) == value for case in joint.cases]))
            scores = dict(zip(part.ids, part.scores[0], strict=True))
            scored = np.isfinite(part.values[0]).any(axis=0)
            told = {name: float(scores[name]) if np.isfinite(scores[name]) else None for name in chosen}
            open_ends = {name: ends for name, ends in part.open_bounds(0).items() if name in chosen}
            bounds = {"bounds": open_ends} if open_ends else {}
            rows.append({"tag": tag, "value": value, "cases": int(scored.sum()), **told, **bounds})
    if not rows:
        raise WorldGaugeError(f"no case of {run.folder} has a tag {' or '.join(by)}", "name others with --by")
    return rows
