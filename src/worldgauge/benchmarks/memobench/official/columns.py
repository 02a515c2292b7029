"""Columns of the official result files, and the step from raw values to percentages and composites."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas

PHASES = ("O", "H", "R", "ALL")
"""Visible, gone, back and whole clip, under their historical letters."""

BASE = (
    ["id", "scene", "data_type", "num_frames", "h_start", "r_start", "gt_frames"]
    + ["TemporalScore", "AestheticScore", "ImageQuality", "ObjIdentityMean", "ObjIdentityMin"]
    + ["GeoConsistencyMean", "GeoConsistencyMin", "ImageRewardScore", "GTRevisitSim"]
    + [f"GT_{phase}_{name}" for phase in PHASES for name in ("PSNR", "SSIM", "LPIPS")]
    + ["CameraControllability", "ATE_RotDeg", "TotalGT_RotDeg", "MeanRotErrorDeg", "fx", "fy"]
)
RANGES = {
    "TemporalScore": (0, 1),
    "AestheticScore": (0, 10),
    "ImageQuality": (0, 1),
    "GeoConsistencyMean": (0, 1),
    "GeoConsistencyMin": (0, 1),
    "ImageRewardScore": (0, 1),
    "GTRevisitSim": (0, 1),
    "ObjIdentityMean": (0, 1),
    "ObjIdentityMin": (0, 1),
    "CameraControllability": (0, 1),
}
"""Raw values that become 0 and 100."""
COMPOSITES = ["MotionSmoothness", "VisualQuality", "Geo3DConsistency", "ObjIdentityConsistency"]
OVERWRITTEN = ["ImageRewardScore", "GTRevisitSim", "CameraControllability"]
"""Columns whose raw value the released code replaces by the percentage."""
ALL = [*BASE, *(f"{name}_pct" for name in RANGES), *COMPOSITES]
ORS = [
    "clip_id",
    "data_type",
    "scene",
    "n_gen",
    "r_start",
    "ors",
    "detection_rate",
    "mean_confidence",
    "n_r_frames",
    "n_detected",
]


def add_composites(table: pandas.DataFrame) -> pandas.DataFrame:
    """Append percentages (one decimal) and, from those, composites (two decimals): rounding twice, as released.

    A column that is absent is left out; a Min column that is absent is replaced by its Mean, a missing Min value makes
    the composite missing; a missing half of VisualQuality leaves the other half.
    """
    import pandas

    table = table.copy()
    for name, (low, high) in RANGES.items():
        if name in table:
            raw = pandas.to_numeric(table[name], errors="coerce")
            table[f"{name}_pct"] = ((raw - low) / (high - low) * 100).clip(0, 100).round(1)
    if "TemporalScore_pct" in table:
        table["MotionSmoothness"] = table["TemporalScore_pct"].round(2)
    halves = [f"{name}_pct" for name in ("AestheticScore", "ImageQuality") if f"{name}_pct" in table]
    if halves:
        table["VisualQuality"] = table[halves].mean(axis=1).round(2)
    for composite, source in (("Geo3DConsistency", "GeoConsistency"), ("ObjIdentityConsistency", "ObjIdentity")):
        mean, minimum = f"{source}Mean_pct", f"{source}Min_pct"
        if mean in table:
            worst = table[minimum] if minimum in table else table[mean]
            table[composite] = (0.7 * table[mean] + 0.3 * worst).round(2)
    for name in OVERWRITTEN:
        if f"{name}_pct" in table:
            table[name] = table[f"{name}_pct"].round(2)
    return table
