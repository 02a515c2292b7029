"""Does the faster way to compute change a score, and do workers and order? The same cases four times: exactly and in
default number types, each by one worker and by two with the cases in reverse."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.neural import engine_side

LIMIT = 0.1
"""The mean difference may be this share of the half-width of the 95 % interval of the metric's mean."""

RUNS = {
    "exact": ("exact", 1, False),
    "exact-turned": ("exact", 2, True),
    "fast": ("fast", 1, False),
    "fast-turned": ("fast", 2, True),
}
"""Numerics, workers, and whether the last case comes first."""
Values = Mapping[str, Mapping[str, float]]
"""Metric to case to what was scored."""


def measure(
    folder: Path,
    cases: Mapping[str, list[Any]],
    metrics: Mapping[str, list[str]],
    clips: Mapping[str, Path],
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """By benchmark: what number types change (`types`), and what workers, order and neighbours do (`turned`)."""
    found: dict[str, Any] = {}
    values: dict[str, dict[str, Values]] = {}
    for label, (numerics, workers, turned) in RUNS.items():
        place = folder / label
        place.mkdir(parents=True, exist_ok=True)
        ordered = {name: own[::-1] if turned else own for name, own in cases.items()}
        how = {**options, "numerics": numerics, "workers": workers, "protocol": "paper"}
        told = engine_side.run(place, ordered, metrics, clips, **how)
        found[label] = {key: told[key] for key in ("workers", "ahead", "seconds_per_clip", "statuses", "reasons")}
        values[label] = {name: engine_side.values(place, name) for name in cases}
        print(f"  {label}: {found[label]}", flush=True)
    for name in cases:
        found[name] = {
            "types": compare(values["exact"][name], values["fast"][name]),
            "turned": {how: apart(values[how][name], values[f"{how}-turned"][name]) for how in ("exact", "fast")},
        }
    return found


def apart(first: Values, second: Values) -> dict[str, Any]:
    """By metric: cases, how many of them are not equal to the bit, and the largest difference."""
    found = {}
    for metric, own in sorted(first.items()):
        differences = [abs(value - second[metric][case]) for case, value in own.items()]
        unlike = sum(difference > 0 for difference in differences)
        found[metric] = {"cases": len(own), "unlike": unlike, "largest": max(differences)}
    return found


def compare(plain: Values, fast: Values) -> dict[str, Any]:
    """By metric: mean, half-width of its interval over the cases, mean paired difference, and their ratio."""
    found: dict[str, Any] = {}
    for metric, values in sorted(plain.items()):
        both = [(values[case], fast[metric][case]) for case in sorted(values) if case in fast.get(metric, {})]
        if len(both) < 3:
            continue
        half = 1.96 * statistics.stdev(value for value, _ in both) / math.sqrt(len(both))
        difference = abs(statistics.fmean(other - value for value, other in both))
        # Where a score is the same everywhere nothing is told, unless the faster way makes it another.
        ratio = difference / half if half else (math.inf if difference else None)
        found[metric] = {
            "cases": len(both),
            "mean": statistics.fmean(value for value, _ in both),
            "half_width": half,
            "mean_difference": difference,
            "largest_difference": max(abs(other - value) for value, other in both),
            "ratio": ratio,
            "precise_needed": ratio is not None and ratio > LIMIT,
        }
    return found
