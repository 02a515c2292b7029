"""What metrics say of the frames they rest on, and the reason codes they give."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.mbench.formulas.returns import MARGIN, Presence, share_in_view
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


HALF: Final = 0.5
"""Share of a place from which on it is in view for sure."""


def place_in_view(path: Arrays, box: NDArray[np.floating[Any]], first: int) -> tuple[NDArray[np.bool_], ...]:
    """In which frames the place of a box (4,) of frame `first` is about in view, and in which it is for sure."""
    x0, y0, x1, y1 = (float(edge) for edge in box)
    width, height = (int(side) for side in path["size"])

    def share(margin: float) -> NDArray[np.float64]:
        place = (x0, y0, x1, y1)
        return share_in_view(path["poses"], path["intrinsics"], (width, height), place, first, margin)

    return share(MARGIN) > 0, share(0.0) >= HALF


def what_became(who: str, became: Presence) -> str:
    """In words.

    >>> what_became("the target", "lost")
    'the target left and did not return'
    """
    return {
        "unseen": f"{who} is never seen",
        "stayed": f"{who} never leaves the picture, so there is no return to judge",
        "returned": f"{who} left and returned",
        "lost": f"{who} left and did not return",
    }[became]
