"""The ten aspects under their official names, their bounds, and how raw numbers become scores in [0, 1]."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import INTRA_LAYOUTS
from worldgauge.core.benchmark import BenchmarkFile, read_benchmark_file
from worldgauge.core.registry import unknown_name
from worldgauge.core.scale import Scale

Raw = float | Sequence[float]

STATIC_ASPECTS: Final[dict[str, tuple[str, ...]]] = {
    "camera_control": ("camera_error",),
    "object_control": ("object_detection",),
    "content_alignment": ("clip_score",),
    "3d_consistency": ("reprojection_error",),
    "photometric_consistency": ("optical_flow_aepe",),
    "style_consistency": ("gram_matrix",),
    "subjective_quality": ("clip_iqa+", "clip_aesthetic"),
}
DYNAMIC_ASPECTS: Final[dict[str, tuple[str, ...]]] = {
    "motion_accuracy": ("motion_accuracy",),
    "motion_magnitude": ("optical_flow",),
    "motion_smoothness": ("motion_smoothness",),
}
ASPECTS: Final = STATIC_ASPECTS | DYNAMIC_ASPECTS

PARTS: Final[dict[str, tuple[str, ...]]] = {
    "camera_error": ("camera_rotation", "camera_translation"),
    "object_detection": ("object_control",),
    "clip_score": ("clip_score",),
    "reprojection_error": ("reprojection_error",),
    "optical_flow_aepe": ("optical_flow_aepe",),
    "gram_matrix": ("gram_matrix",),
    "clip_iqa+": ("clip_iqa",),
    "clip_aesthetic": ("clip_aesthetic",),
    "motion_accuracy": ("motion_accuracy",),
    "optical_flow": ("motion_magnitude",),
    "motion_smoothness": ("smoothness_mse", "smoothness_ssim", "smoothness_lpips"),
}
"""Official metric name to the ids in benchmark.toml that carry its numbers."""


@functools.cache
def benchmark_file() -> BenchmarkFile:
    """Our `benchmark.toml`."""
    return read_benchmark_file(str(Path(__file__).parents[1]))


def scales(metric: str) -> list[Scale]:
    """The released scales of an official metric, one per number it returns."""
    if metric not in PARTS:
        raise unknown_name("WorldScore metric", metric, list(PARTS))
    uses = {use.id: use.under_protocol("released").scale for use in benchmark_file().metrics}
    found = [uses[part] for part in PARTS[metric]]
    return [scale for scale in found if scale is not None]


def normalised(metric: str, raw: Raw) -> float:
    """Score in [0, 1] of an official metric's raw number (or numbers), by the released code's arithmetic.

    It clips with Python's min and max, by which NaN becomes the larger bound: the worst score of an error, and a
    perfect one of everything else. No run of ours has such a number; result files of the original do.

    >>> round(normalised("optical_flow", 0.0), 4)
    0.2395
    >>> normalised("camera_error", (0.0, 0.25)) == math.sqrt(0.5)
    True
    >>> normalised("optical_flow_aepe", math.nan), normalised("optical_flow", math.nan)
    (0.0, 1.0)
    """
    numbers = list(raw) if isinstance(raw, Sequence) else [raw]
    scores = [
        scale(max(scale.source) if math.isnan(number) else number) / 100.0
        for scale, number in zip(scales(metric), numbers, strict=True)
    ]
    if metric == "camera_error":
        return math.sqrt(math.prod(scores))
    return sum(scores) / len(scores)


def is_skipped(aspect: str, layouts: Sequence[str]) -> bool:
    """Whether the released code leaves an aspect out for a camera path; only the first layout is looked at."""
    return aspect == "content_alignment" and layouts[0] in INTRA_LAYOUTS
