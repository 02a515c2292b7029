"""The paper's analyses as tables over the records of runs: phases, motion gate, strata, camera validation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.memobench.analyses.run_scores import Answers, Values, in_split, scores
from worldgauge.benchmarks.memobench.analyses.trajectories import reappearance_angle, rotations
from worldgauge.benchmarks.memobench.formulas.failures import KINDS
from worldgauge.benchmarks.memobench.official.files import clip_records
from worldgauge.benchmarks.memobench.splits import Split
from worldgauge.core.case import Case
from worldgauge.core.errors import NotApplicable
from worldgauge.core.run_folder import Run
from worldgauge.core.sources import read_sources
from worldgauge.stats.correlation import spearman

Row = dict[str, Any]
Floats = NDArray[np.float64]

GATED = ("CameraControllability", "ORS", "GT_ALL_PSNR", "GT_ALL_SSIM", "ObjIdentityConsistency", "Geo3DConsistency")
POOLED = "all models"
"""Row of the camera table over every model together."""
MEASURES = ("path", "net", "reach")
SIZES = (("small", 0.0, 0.02), ("medium", 0.02, 0.10), ("large", 0.10, 1.01))
"""Strata of the paper: share of the first frame the target covers."""
ANGLES = (("up to 60 deg", 0.0, 60.0), ("60 to 120 deg", 60.0, 120.0), ("over 120 deg", 120.0, 180.1))


def phase_drop(runs: Iterable[Run], split: Split = "all") -> list[Row]:
    """Table S6: fidelity in the visible and the back phase, over the clips that have both; a drop is positive."""
    rows = []
    for run in runs:
        row: Row = {"model": run.name}
        values = scores(run, split).values()
        for metric, sign in (("PSNR", 1), ("SSIM", 1), ("LPIPS", -1)):
            both = [
                (v[f"GT_O_{metric}"], v[f"GT_R_{metric}"])
                for v in values
                if _has(v, f"GT_O_{metric}", f"GT_R_{metric}")
            ]
            visible, back = (float(np.mean(side)) for side in zip(*both, strict=True)) if both else (None, None)
            row |= {
                f"{metric} n": len(both),
                f"{metric} visible": visible,
                f"{metric} back": back,
                f"{metric} drop": sign * (visible - back) if visible is not None and back is not None else None,
            }
        rows.append(row)
    return rows


def motion_gated(
    runs: Iterable[Run],
    thresholds: Sequence[float],
    measure: str = "net",
    columns: Sequence[str] = GATED,
    split: Split = "all",
    answers: Answers | None = None,
) -> list[Row]:
    """Table S5: per threshold, means over the clips whose reference camera turns by at least so many degrees.

    `measure` is `net` (start to end, as the released column), `path` (summed) or `reach` (farthest from the start).
    `n` counts the clips that have a score at all.
    """
    which = MEASURES.index(measure)
    rows = []
    for run in runs:
        degrees, values = _per_case(run, lambda c: rotations(c)[which], split), scores(run, split, answers)
        for threshold in thresholds:
            turning = [case for case, turned in degrees.items() if turned >= threshold and case in values]
            rows.append(
                {"model": run.name, "threshold": threshold, "n": len(turning)} | _means(values, turning, columns)
            )
    return rows


def stratified(runs: Iterable[Run], metric: str = "ORS", split: Split = "all") -> list[Row]:
    """Mean of a metric by the target's size in the first frame and by the rotation at which it comes back."""
    rows = []
    for run in runs:
        values = scores(run, split)
        for title, strata, of_case in (
            ("target size", SIZES, target_share),
            ("reappearance angle", ANGLES, reappearance_angle),
        ):
            found = _per_case(run, of_case, split)
            for name, low, high in strata:
                members = [case for case, number in found.items() if low <= number < high]
                scored = [values[case][metric] for case in members if metric in values.get(case, {})]
                rows.append(
                    {
                        "model": run.name,
                        "by": title,
                        "stratum": name,
                        "n": len(scored),
                        metric: float(np.mean(scored)) if scored else None,
                    }
                )
    return rows


def camera_validation(runs: Iterable[Run], split: Split = "all") -> list[Row]:
    """Table S8: error and score of the camera per model, then pooled over models: their rank correlation with its
    p-value, and whether the recorded rotation of the reference is that of its camera file (Pearson's correlation and
    the largest difference)."""
    found = [(run.name, *_camera_columns(run, split)) for run in runs]
    rows = [_camera_row(*of_run) for of_run in found]
    if len(found) > 1:
        pooled = [np.concatenate([of_run[i] for of_run in found]) for i in range(1, 5)]
        rows.append(_camera_row(POOLED, *pooled))
    return rows


def _camera_columns(run: Run, split: Split) -> tuple[Floats, Floats, Floats, Floats]:
    """Error, score, recorded rotation and the camera file's, per clip that has an error and a score; NaN for none."""
    net = _per_case(run, lambda c: rotations(c)[1], split)
    clips = {case: v for case, v in scores(run, split).items() if _has(v, "ATE_RotDeg", "CameraControllability")}
    names = ("ATE_RotDeg", "CameraControllability", "TotalGT_RotDeg")
    error, control, recorded = (np.array([v.get(name, math.nan) for v in clips.values()]) for name in names)
    return error, control, recorded, np.array([net.get(case, math.nan) for case in clips])


def _camera_row(name: str, error: Floats, control: Floats, recorded: Floats, own: Floats) -> Row:
    ranks = spearman(error, control)
    both = np.isfinite(recorded) & np.isfinite(own)
    differs = both.sum() > 1 and np.ptp(recorded[both]) > 0 and np.ptp(own[both]) > 0
    return {
        "model": name,
        "n": len(error),
        "error mean": float(error.mean()) if len(error) else None,
        "error std": float(error.std()) if len(error) else None,
        "control": float(control.mean()) if len(control) else None,
        "reference rotation": float(np.nanmean(recorded)) if np.isfinite(recorded).any() else None,
        "rank correlation": ranks.coefficient,
        "p": ranks.p_value,
        "Pearson of rotations": float(np.corrcoef(recorded[both], own[both])[0, 1]) if differs else None,
        "largest rotation mismatch": float(np.abs(recorded - own)[both].max()) if both.any() else None,
    }


def failure_counts(runs: Iterable[Run]) -> list[Row]:
    """Table S10: clips that show each kind of failure, per split, of those in which it could be told; a clip may show
    several."""
    rows = []
    for run in runs:
        splits: dict[str, list[dict[str, Any]]] = {}
        for records in clip_records(run).values():
            tags = next(iter(records.values())).get("tags", {})
            splits.setdefault(tags.get("data_type", "-"), []).append(records)
        for name, clips in sorted(splits.items()):
            row: Row = {"model": run.name, "split": name, "clips": len(clips)}
            for kind in KINDS:
                told = [
                    c[f"failure_{kind}"]["raw"] for c in clips if c.get(f"failure_{kind}", {}).get("raw") is not None
                ]
                row |= {kind: sum(raw == 1.0 for raw in told), f"{kind} told": len(told)}
            rows.append(row)
    return rows


def target_share(case: Case) -> float:
    """Share of the first frame the target covers, by its mask, else its box."""
    target = case.target()
    if target.mask is not None:
        return float(target.mask.mean())
    size = case.camera("reference").size or case.condition.size
    if target.box is None or size is None:
        raise NotApplicable("the size of the target is not known")
    x0, y0, x1, y1 = target.box
    return (x1 - x0) * (y1 - y0) / (size[0] * size[1])


def _per_case(run: Run, of_case: Callable[[Case], float], split: Split = "all") -> dict[str, float]:
    found = {}
    for case_id, source in read_sources(run.folder).items():
        if not in_split(source.case, split):
            continue
        try:
            found[case_id] = of_case(source.case)
        except NotApplicable:
            continue
    return found


def _means(values: Values, cases: Sequence[str], metrics: Sequence[str]) -> Row:
    row: Row = {}
    for metric in metrics:
        found = [values[case][metric] for case in cases if metric in values.get(case, {})]
        row[metric] = float(np.mean(found)) if found else None
    return row


def _has(values: dict[str, float], *names: str) -> bool:
    return all(name in values and math.isfinite(values[name]) for name in names)
