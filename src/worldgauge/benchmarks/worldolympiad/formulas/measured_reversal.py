"""Whether a process runs backwards, by how the same thing changes in the reference.

The reference tells which way the process goes: from what the thing is like at first to what it is like at last. A
process that comes and goes, or hardly changes the thing, has no direction. A clip goes back where it loses much of what
it had reached, as when something falls upwards, or where it goes back steadily, as when a candle grows: then less is
enough, since no noise goes one way for so long. Thresholds were set on gauge blocks of seeds below 33000.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldolympiad.formulas.measured_physics import Verdict
from worldgauge.benchmarks.worldolympiad.formulas.thing_course import ENDS
from worldgauge.functional.target_states import of_the_moment

Floats = NDArray[np.float64]
LEAST_CHANGE = 0.4
"""Of the thing over the whole reference, below which it has no direction;"""
FALLS_BACK = 0.2
"""and share of its way by which a process with a direction may fall back in the reference."""
BACKWARDS = 0.2
"""Share of the way that a clip must go back, beyond what the reference does,"""
FRAMES = 3
"""in that many frames or more: a jump is no way;"""
STEADILY_BACKWARDS = 0.05
"""or share of the way that it goes back, beyond what the reference does,"""
STEADY_FRAMES = 6
"""in that many frames along a straight line,"""
STRAIGHT = 0.8
"""which explains this share of their variance."""


def reversal(states: Floats, reference: Floats) -> Verdict:
    """Whether the process goes back on its way; the amount is the share of the way. Both (m, d) as `states_of`.

    Source: a house measure; no rule of the benchmark is about it.
    """
    end = np.median(_from_the_first(reference)[-ENDS:], axis=0)
    if float(np.linalg.norm(end)) < LEAST_CHANGE:
        return Verdict(None, "no direction: the thing ends as it began")
    true, ours = progress(reference, end), progress(states, end)
    own, back = going_back(of_the_moment(true)), going_back(of_the_moment(ours))
    if own > FALLS_BACK:
        return Verdict(None, "no direction: the process comes and goes")
    own_steady, steady = steadily_back(true), steadily_back(ours)
    if back - own >= BACKWARDS or steady - own_steady >= STEADILY_BACKWARDS:
        most = max(back, steady)
        return Verdict(False, f"the process goes back by {100 * most:.0f} % of its way", most)
    return Verdict(True, f"the process goes one way; back by at most {100 * max(back, steady):.0f} % of it")


def progress(states: Floats, end: Floats) -> Floats:
    """(m,) share of the way to the end, 0 at the beginning."""
    return np.asarray(_from_the_first(states) @ end / float(end @ end))


def _from_the_first(states: Floats) -> Floats:
    return np.asarray(states - np.median(states[:ENDS], axis=0))


def going_back(shares: Floats) -> float:
    """The greatest loss of what was reached, not counting losses in fewer than FRAMES frames.

    >>> going_back(np.array([0.0, 0.5, 0.4, 0.3, 0.2, 1.0])).__round__(2), going_back(np.linspace(0, 1, 6))
    (0.3, 0.0)
    """
    reached = np.maximum.accumulate(shares)[:-FRAMES]
    return max(0.0, float((reached - shares[FRAMES:]).max())) if len(shares) > FRAMES else 0.0


def steadily_back(shares: Floats) -> float:
    """The greatest loss in STEADY_FRAMES frames that lie along a straight line.

    >>> back = np.concatenate([np.linspace(0, 1, 21), np.linspace(1, 0.75, 11)[1:]])
    >>> round(steadily_back(back), 3), steadily_back(np.linspace(0, 1, 12)), steadily_back(np.arange(12.0) % 2)
    (0.125, 0.0, 0.0)
    """
    time = np.arange(STEADY_FRAMES) - (STEADY_FRAMES - 1) / 2
    spread, most = float(time @ time), 0.0
    for start in range(len(shares) - STEADY_FRAMES + 1):
        off = shares[start : start + STEADY_FRAMES] - shares[start : start + STEADY_FRAMES].mean()
        slope = float(off @ time) / spread
        if slope < 0 and slope**2 * spread >= STRAIGHT * float(off @ off):
            most = max(most, -slope * (STEADY_FRAMES - 1))
    return most
