"""What metrics say of the frames they rest on, and the reason codes they give."""

from __future__ import annotations

from typing import Final

from worldgauge.core.signal import Arrays

NOT_THERE: Final = "target-not-there"
"""The target, or a face, is not found where it is needed."""
BASELINE: Final = "baseline"
"""The camera stands where it stood, so two views tell no depth."""
TOO_FEW_MATCHES: Final = "too-few-matches"


def of_pairs(chosen: Arrays) -> str:
    """In a few words which pairs of views were compared and why."""
    pairs, rule = chosen["pairs"], str(chosen["rule"])
    steps, turns = chosen["step"], chosen["turn"]
    words = f"frames {pairs[0][0]}-{pairs[0][1]} to {pairs[-1][0]}-{pairs[-1][1]} by rule {rule}"
    if rule != "early_late":
        words += f", turnaround {int(chosen['turnaround'])} at {float(chosen['excursion']):.3f}"
    return f"{words}, apart by {float(steps.mean()):.3f} and {float(turns.mean()):.1f} degrees"
