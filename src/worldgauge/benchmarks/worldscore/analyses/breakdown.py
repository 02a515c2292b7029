"""Scores by subdomain, as in the paper's Figure 7: indoor and outdoor, style, size of the world, category."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from worldgauge.benchmarks.worldscore.official.aspects import DYNAMIC_ASPECTS, STATIC_ASPECTS
from worldgauge.core.run_folder import Run

DOMAINS = ("scene", "style", "world", "category", "motion")
"""Tags the scores are broken down by."""

MEMBERS: dict[str, tuple[str, ...]] = {
    "camera_control": ("camera_control",),
    "object_control": ("object_control",),
    "content_alignment": ("clip_score",),
    "3d_consistency": ("reprojection_error",),
    "photometric_consistency": ("optical_flow_aepe",),
    "style_consistency": ("gram_matrix",),
    "subjective_quality": ("clip_iqa", "clip_aesthetic"),
    "motion_accuracy": ("motion_accuracy",),
    "motion_magnitude": ("motion_magnitude",),
    "motion_smoothness": ("smoothness_mse", "smoothness_ssim", "smoothness_lpips"),
}
"""Aspect to the metrics whose mean it is."""


def breakdown(run: Run, domains: Sequence[str] = DOMAINS) -> list[dict[str, Any]]:
    """One row per value of each domain: cases, the mean of every aspect that has data, and the means of those.

    `static` and `dynamic` are means over the aspects with data, so rows compare only with rows that have the same ones.
    """
    means = _scaled_means(run)
    rows = []
    for domain in domains:
        values = sorted({value for tags, *_ in means for key, value in tags if key == domain})
        for value in values:
            chosen = [(metric, case, score) for tags, metric, case, score in means if (domain, value) in tags]
            aspects = _aspects(chosen)
            rows.append(
                {
                    "domain": domain,
                    "value": value,
                    "cases": len({case for _, case, _ in chosen}),
                    **aspects,
                    "static": _mean([aspects[name] for name in STATIC_ASPECTS if name in aspects]),
                    "dynamic": _mean([aspects[name] for name in DYNAMIC_ASPECTS if name in aspects]),
                }
            )
    return rows


def _scaled_means(run: Run) -> list[tuple[frozenset[tuple[str, str]], str, str, float]]:
    """(tags, metric, case, score) of every record with a value; metrics scaled per model are scaled here per case."""
    scales = {d.id: d.scale for d in run.file.definitions}
    found = []
    for record in run.records():
        if record["status"] != "ok":
            continue
        scale = scales[record["metric"]]
        score = scale(record["raw"]) if scale is not None else record["value"]
        found.append((frozenset(record["tags"].items()), record["metric"], record["case"], score))
    return found


def _aspects(chosen: list[tuple[str, str, float]]) -> dict[str, float]:
    result = {}
    for aspect in (*STATIC_ASPECTS, *DYNAMIC_ASPECTS):
        members = [[s for metric, _, s in chosen if metric == member] for member in MEMBERS[aspect]]
        if all(members):
            result[aspect] = float(np.mean([np.mean(scores) for scores in members]))
    return result


def _mean(scores: list[float]) -> float | None:
    return float(np.mean(scores)) if scores else None
