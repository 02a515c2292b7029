"""Whether a process runs backwards, by the course of the same thing in the reference.

The reference tells which way the process goes: from what the thing is like at first to what it is like at last. A
process that comes and goes, or hardly changes the thing, has no direction. Where the thing stands beside its first
place tells none either: what moves along may as well move back.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldolympiad.formulas.measured_physics import Verdict
from worldgauge.benchmarks.worldolympiad.formulas.thing_course import ENDS, LEAST_FRAMES, Course
from worldgauge.functional.target_states import of_the_moment

Floats = NDArray[np.float64]
GROWTH_WEIGHT = 0.5
"""The area is known less well than the shape: the camera's approach must be taken out of it."""
OTHER_COLOUR = 40.0
"""Lab levels that count as much as a fall by one size."""
LEAST_CHANGE = 0.5
"""Of the thing over the whole reference, below which it has no direction;"""
FALLS_BACK = 0.15
"""and share of its way by which a process with a direction may fall back in the reference."""
BACKWARDS = 0.07
"""Share of the way that a clip must go back, beyond what the reference does,"""
FRAMES = 3
"""in that many frames or more: a jump is no way."""


def reversal(course: Course, reference: Course) -> Verdict:
    """Whether the process goes back on its way; the amount is the share of the way.

    Source: a house measure; no rule of the benchmark is about it.
    """
    if min(course.whole.sum(), reference.whole.sum()) < LEAST_FRAMES:
        return Verdict(None, f"the whole thing is in the picture in fewer than {LEAST_FRAMES} frames")
    way = ways(reference)
    end = np.median(way[-ENDS:], axis=0)
    if float(np.linalg.norm(end)) < LEAST_CHANGE:
        return Verdict(None, "no direction: the thing ends as it began")
    own = going_back(progress(reference, end))
    if own > FALLS_BACK:
        return Verdict(None, "no direction: the process comes and goes")
    back = going_back(progress(course, end))
    if back - own >= BACKWARDS:
        return Verdict(False, f"the process goes back by {100 * back:.0f} % of its way", back)
    return Verdict(True, f"the process goes one way; back by at most {100 * back:.0f} % of it")


def ways(course: Course) -> Floats:
    """(n, 6) how far the thing is from how it began, where it is whole: height, flatness, growth, colour."""
    whole = course.whole
    flatness, colour = course.flatness[whole], course.colour[whole] / OTHER_COLOUR
    found = np.column_stack([course.height[whole], flatness, GROWTH_WEIGHT * course.growth[whole], colour])
    return np.asarray(found - np.median(found[:ENDS], axis=0))


def progress(course: Course, end: Floats) -> Floats:
    """(n,) share of the way to the end, 0 at the beginning; what single frames say is what those around them say."""
    return of_the_moment(ways(course) @ end / float(end @ end))


def going_back(shares: Floats) -> float:
    """The greatest loss of what was reached, not counting losses in fewer than FRAMES frames.

    >>> going_back(np.array([0.0, 0.5, 0.4, 0.3, 0.2, 1.0])).__round__(2), going_back(np.linspace(0, 1, 6))
    (0.3, 0.0)
    """
    reached = np.maximum.accumulate(shares)[:-FRAMES]
    return max(0.0, float((reached - shares[FRAMES:]).max())) if len(shares) > FRAMES else 0.0
