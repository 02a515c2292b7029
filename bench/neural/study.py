"""Does the faster way to compute change a score? Paired differences over cases, beside the score's own interval."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from typing import Any

LIMIT = 0.1
"""The mean difference may be this share of the half-width of the 95 % interval of the metric's mean."""


def compare(plain: Mapping[str, Mapping[str, float]], fast: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """By metric: mean, half-width of its interval over the cases, mean paired difference, and their ratio."""
    found: dict[str, Any] = {}
    for metric, values in sorted(plain.items()):
        both = [(values[case], fast[metric][case]) for case in sorted(values) if case in fast.get(metric, {})]
        if len(both) < 3:
            continue
        half = 1.96 * statistics.stdev(value for value, _ in both) / math.sqrt(len(both))
        difference = abs(statistics.fmean(other - value for value, other in both))
        ratio = difference / half if half else (0.0 if difference == 0 else math.inf)
        found[metric] = {
            "cases": len(both),
            "mean": statistics.fmean(value for value, _ in both),
            "half_width": half,
            "mean_difference": difference,
            "largest_difference": max(abs(other - value) for value, other in both),
            "ratio": ratio,
            "precise_needed": not ratio <= LIMIT,
        }
    return found
