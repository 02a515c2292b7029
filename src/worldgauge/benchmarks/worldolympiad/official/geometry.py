"""The 3D part of a judge file, out of the records of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldgauge.benchmarks.worldolympiad.formulas.combination import geometry_score
from worldgauge.benchmarks.worldolympiad.official.judge_files import ROUNDED
from worldgauge.core.status import Policy, Status

SCORES = {"GS": "gs_score", "Meta": "meta_score", "Camera": "camera_motion_score"}
"""Columns, and what a judge file calls them."""
TOTAL = "Geometry"
PARTS = (*SCORES, TOTAL)


def geometry_of_records(records: Mapping[str, Mapping[str, Any]], policy: Policy) -> dict[str, float] | None:
    """The three scores of a case; zeros where the policy of the total counts its failure as 0, as the original does;
    None where they were not asked for, or cannot be had here.

    A failure that is no failure of the released procedure has no scores.
    """
    total = records.get(TOTAL)
    if total is None:
        return None
    known = {column: records[column].get("raw") for column in SCORES if column in records}
    parts = {column: float(value) for column, value in known.items() if value is not None}
    if len(parts) == len(SCORES):
        return parts
    failed = policy.rule(Status(total["status"]), total.get("code", "")) == 0.0
    return dict.fromkeys(SCORES, 0.0) if failed else None


def three_d(geometry: Mapping[str, float]) -> dict[str, Any]:
    """`three_d` of a judge file from the three scores."""
    raw = sum(geometry[column] for column in SCORES)
    return {
        **{name: geometry[column] for column, name in SCORES.items()},
        "final_score": raw,
        "lpips": None,
        "scorer_type": "vlm",
        "final_score_raw": raw,
        "final_score_raw_scale": "0-3",
        "final_score_normalized": round(geometry_score(raw), ROUNDED),
        "final_score_normalized_scale": "0-1",
    }
