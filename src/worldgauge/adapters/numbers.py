"""A result as a flat dictionary of finite numbers, which every tracker understands."""

from __future__ import annotations

import math
from collections.abc import Mapping

from worldgauge.api.runs import Run

COVERAGE = "/coverage"
LOWEST, HIGHEST = "/lowest", "/highest"
"""What a score could be, where clips have none."""
BESIDE = (COVERAGE, LOWEST, HIGHEST)

Result = Run | Mapping[str, float]
"""A run, or what a `Gauge` returned."""


def finite_numbers(result: Result) -> dict[str, float]:
    """Name to number. What has no value is left out: absent is not zero, and its coverage says so.

    >>> finite_numbers({"psnr": float("nan"), "psnr/coverage": 0.0})
    {'psnr/coverage': 0.0}
    """
    numbers = _of_run(result) if isinstance(result, Run) else result
    return {name: float(value) for name, value in numbers.items() if math.isfinite(value)}


def _of_run(run: Run) -> dict[str, float]:
    summary = run.summary()
    numbers: dict[str, float] = {}
    for score in [*summary.metrics.values(), *summary.groups.values()]:
        numbers[score.id] = math.nan if score.value is None else score.value
        numbers[f"{score.id}{COVERAGE}"] = score.coverage
        if score.bounds is not None:
            low, high = (math.nan if end is None else end for end in score.bounds)
            numbers |= {f"{score.id}{LOWEST}": low, f"{score.id}{HIGHEST}": high}
    return numbers
