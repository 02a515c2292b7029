"""Rules of physics, measured: what a thing's course says about gravity, contact and growth.

A verdict holds, is broken, or there is none, and then the reason says why: what cannot be told is no pass. Thresholds
were set on gauge blocks of the seeds 30000 to 30079.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldolympiad.formulas.rebounds import rebound_trend
from worldgauge.benchmarks.worldolympiad.formulas.thing_course import ENDS, Course

Floats = NDArray[np.float64]
LIFT = 0.3
"""Sizes that a thing must rise in a third of its course, not slowing down, to be lifted,"""
KEEPS_RISING = 0.7
"""the last quarter of that rise at least this share of any before it: what was thrown up or swings slows down."""
SMOOTH_RISE = 0.2
"""Sizes over the whole course that are enough where the rise is smooth:"""
SMOOTH = 0.85
"""share of the variance that a parabola explains."""
LEAST_FALL = 0.5
"""Sizes; less is no fall."""
FREE = 0.25
"""Share of a fall that gathering speed must account for: all of it for what is let go, none at one speed."""
SINK = 0.15
"""Sizes by which the surface of a thing that sinks into what carries it goes down,"""
LOST = 0.14
"""sizes by which its outline becomes lower with that,"""
OPEN_SINK = 0.2
"""and sizes by which a thing in the open sinks as a whole."""
STEADY = ((0.05, 0.65), (0.2, 0.95), (0.4, 1.25))
"""Shares of the way that something which sinks steadily has gone after each quarter of the course."""
STRAIGHT = 0.6
"""Share of the variance that a straight line explains of it."""
LEAST_GROWTH = float(np.log(1.5))
"""Growth of the area, logarithm, that needs a cause."""


@dataclass(frozen=True)
class Verdict:
    """What was found of one rule."""

    holds: bool | None
    """None where nothing can be said."""
    reason: str
    amount: float = 0.0
    """By how much it is broken, in the unit the reason names."""


def gravity(course: Course, reference: Course | None = None) -> Verdict:
    """Whether what nothing holds goes down faster and faster, and what rests stays down.

    A rise that does not slow down is broken, unless the reference shows such a rise too: a hand may lift a thing.

    Source: a house twin of the rule gravity.
    """
    rise, own_rise = rising(course), 0.0 if reference is None else rising(reference)
    if rise > 0 and own_rise < rise / 2:
        return Verdict(False, f"it rises by {rise:.2f} of its size without slowing down", rise)
    higher, own_higher = (0.0 if one is None else rebound_trend(one.height) for one in (course, reference))
    if higher > 0 and own_higher < higher / 2:
        return Verdict(False, f"it turns round in the air, at last {higher:.2f} of its size higher", higher)
    if rise > 0:
        return Verdict(None, "it is lifted, as it is in the reference")
    start, end = deepest_fall(course.height)
    drop = float(course.height[start] - course.height[end])
    if drop < LEAST_FALL:
        return Verdict(None, "nothing falls")
    bend = curvature(course.height[start : end + 1])
    if bend is None or -bend * (end - start) ** 2 / 2 < FREE * drop:
        return Verdict(None, f"it goes down by {drop:.2f} of its size without gathering speed: no free fall")
    return Verdict(True, f"it falls by {drop:.2f} of its size, faster and faster (parabola, {bend:.3f} sizes/frame2)")


def impact(course: Course, reference: Course | None = None) -> Verdict:
    """Whether contact holds what stands on something: its surface must not go on down where its foot rests.

    Broken where surface and outline sink into the ground alike, and where a thing in the open sinks at one speed,
    neither held nor falling, which the reference does not show.

    Source: a house twin of the rule impact.
    """
    lower, own_lower = (0.0 if one is None else -rebound_trend(one.height) for one in (course, reference))
    if lower > 0 and own_lower < lower / 2:
        return Verdict(False, f"it turns round ever deeper, at last by {lower:.2f} of its size", lower)
    if course.surface is None or course.lower is None:
        return Verdict(None, "too few corners on it tell how its surface moves")
    into = steady_sink(course.surface, course.lower)
    stays_down = course.lower[-ENDS:].mean() <= -into / 2
    if into >= SINK and course.lost >= LOST and stays_down:
        return Verdict(False, f"it sinks into what carries it by {into:.2f} of its size", into)
    openly = steady_sink(course.surface, course.height)
    shown = 0.0 if reference is None or reference.surface is None else steady_sink(reference.surface, reference.height)
    if openly >= OPEN_SINK and shown < openly / 2:
        return Verdict(False, f"it sinks by {openly:.2f} of its size at one speed, neither held nor falling", openly)
    if openly >= OPEN_SINK:
        return Verdict(None, "it is lowered, as it is in the reference")
    if np.ptp(course.height) >= LEAST_FALL:
        return Verdict(None, "it moves up or down as a whole, so no contact is at rest")
    return Verdict(True, "what carries it holds it")


def compression(course: Course, reference: Course | None) -> Verdict:
    """Whether the area grows without a cause: more than in the reference, where one is.

    Source: a house twin of the rule compression.
    """
    if reference is None:
        return Verdict(None, "no reference says whether the growth has a cause")
    grown, cause = (float(np.median(one.growth[-ENDS:])) for one in (course, reference))
    beyond = grown - max(0.0, cause)
    factors = f"by a factor of {np.exp(grown):.2f}, in the reference of {np.exp(cause):.2f}"
    if beyond >= LEAST_GROWTH:
        return Verdict(False, f"its area grows {factors}", float(np.exp(beyond)))
    return Verdict(True, f"its area changes {factors}")


def rising(course: Course) -> float:
    """Sizes by which the thing is lifted, by its lower side or, where that is taken for something below it such as its
    shadow, by the lower half of its surface and its surface as a whole, whichever rises less."""
    if (rise := lift(course.height)) > 0 or course.surface is None or course.lower is None:
        return rise
    return min(lift(course.surface), lift(course.lower))


def lift(height: Floats) -> float:
    """Sizes of a rise that does not slow down; 0 where there is none.

    >>> time = np.linspace(0, 1, 25)
    >>> [round(lift(h), 2) for h in (time**2, -(time**2), 2 * time - 2 * time**2)]
    [0.56, 0.0, 0.0]
    """
    count = len(height)
    span = max(6, count // 3)
    marks = np.round(np.linspace(0, span, 5)).astype(int)
    best = 0.0
    for start in range(count - span):
        quarters = np.diff(height[start + marks]) / np.diff(marks)
        if (quarters > 0).all() and quarters[-1] >= KEEPS_RISING * quarters.max():
            best = max(best, float(height[start + span] - height[start]))
    if best >= LIFT:
        return best
    time = np.linspace(0, 1, count)
    bend, slope, start_height = np.polyfit(time, height, 2)
    off = height - np.polyval((bend, slope, start_height), time)
    rise = float(bend + slope)
    smooth = float((off**2).sum()) <= (1 - SMOOTH) * float(((height - height.mean()) ** 2).sum())
    return rise if rise >= SMOOTH_RISE and bend > 0 and smooth else 0.0


def deepest_fall(height: Floats) -> tuple[int, int]:
    """The frame in which the greatest drop without a way up begins, and the one in which it ends.

    >>> deepest_fall(np.array([1.0, 1.0, 0.9, 0.5, 0.5, 0.8, 0.6]))
    (1, 3)
    """
    best, start = (0, 0), 0
    for end in range(1, len(height)):
        if height[end] > height[end - 1] or height[end] == height[start]:
            start = end
        elif height[start] - height[end] > height[best[0]] - height[best[1]]:
            best = (start, end)
    return best


def curvature(height: Floats) -> float | None:
    """Second derivative of the best parabola, sizes per frame squared; None of fewer than four frames.

    >>> round(curvature(-0.25 * np.arange(6.0) ** 2), 6)
    -0.5
    """
    if len(height) < 4:
        return None
    return float(2 * np.polyfit(np.arange(len(height)), height, 2)[0])


def steady_sink(*heights: Floats) -> float:
    """Sizes by which all of these sink together, steadily, over the course or one half of it: the least of them; 0
    where one does not, or not steadily.

    >>> line = -np.linspace(0, 0.4, 20)
    >>> round(steady_sink(line, 2 * line), 2), steady_sink(line, -line), steady_sink(np.repeat([0.0, -1.0], 10))
    (0.4, 0.0, 0.0)
    """
    half = len(heights[0]) // 2
    spans = (slice(None), slice(half), slice(-half, None))
    return max(0.0, *(min(_steady_way(height[span]) for height in heights) for span in spans))


def _steady_way(height: Floats) -> float:
    time = np.linspace(0, 1, len(height))
    slope, start = np.polyfit(time, height, 1)
    off = height - (slope * time + start)
    if slope >= 0 or float((off**2).sum()) > (1 - STRAIGHT) * float(((height - height.mean()) ** 2).sum()):
        return 0.0
    return float(-slope) if _in_quarters(height) else 0.0


def _in_quarters(height: Floats) -> bool:
    marks: Iterable[Floats] = np.array_split(height, 5)
    levels = [float(np.mean(part)) for part in marks]
    way = levels[-1] - levels[0]
    shares = [(level - levels[0]) / way for level in levels[1:-1]] if way else [0.0] * 3
    return all(low <= share <= high for share, (low, high) in zip(shares, STEADY, strict=True))
