"""Whether a process runs backwards, by how the same thing changes in the reference.

The reference tells the way of the process: by how much each number of the thing's state changes from first to last, and
how far it comes and goes meanwhile, which is how little it tells. A process whose numbers mostly come and go, or hardly
change, has no direction. How fast a clip goes along that way is then told by whatever numbers are known in a stretch of
frames, each by its worth. The clip goes back where it loses some of the way within a stretch. The largest step is left
out there and in the reference: a jump, as of a mask that slips, is no way. Constants were set on gauge blocks of the
seeds 32000 to 33203, where their neighbours do as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldolympiad.formulas.measured_physics import Verdict
from worldgauge.benchmarks.worldolympiad.formulas.thing_course import ENDS, LEAST_FRAMES
from worldgauge.benchmarks.worldolympiad.formulas.thing_states import ABOVE, BELOW

Floats = NDArray[np.float64]
NO_DIRECTION = "no direction"
"""How a reason begins that the reference alone gives."""
UNSURE = 0.05
"""Sizes by which any number may be wrong, beside what it comes and goes."""
LEAST_CHANGE = 7.0
"""Of the thing over the whole reference, in units of how far its numbers come and go; below, it has no direction."""
STRETCH = 8
"""Frames in which a clip must go back; in long clips a quarter of it."""
BACKWARDS = 0.05
"""Share of the way that it must lose there."""
LEAST_TOLD = 0.25
"""Share of what tells of the process that must be known all through a stretch."""


@dataclass(frozen=True, eq=False)
class Way:
    """What a process does to each of the d numbers of a state."""

    change: Floats
    """(d,) from first to last."""
    worth: Floats
    """(d,) one over the square of what each comes and goes; 0 where too little of it is known."""
    strength: float
    """Of the whole change, in units of that; what rises does not count, since it may as well come down."""


def reversal(states: Floats, reference: Floats) -> Verdict:
    """Whether the process goes back on its way; the amount is the share of the way. Both (N, d) as `states_of`.

    Source: a house measure; no rule of the benchmark is about it.
    """
    way = way_of(reference)
    if way.strength < LEAST_CHANGE:
        return Verdict(None, f"{NO_DIRECTION}: little of the thing changes for good")
    own, back = going_back(reference, way), going_back(states, way)
    if own is not None and own >= BACKWARDS:
        return Verdict(None, f"{NO_DIRECTION}: the process comes and goes")
    if own is None or back is None:
        return Verdict(None, f"what the process changes is in the picture in fewer than {STRETCH} frames in a row")
    if back >= BACKWARDS:
        return Verdict(False, f"the process goes back by at least {100 * back:.0f} % of its way", back)
    return Verdict(True, f"the process goes one way; back by at most {100 * back:.0f} % of it")


def way_of(reference: Floats) -> Way:
    """The way of a process, from the states (N, d) of its reference."""
    numbers = reference.shape[1]
    change, noise, lasting = np.zeros(numbers), np.full(numbers, np.inf), np.zeros(numbers)
    for k, column in enumerate(reference.T):
        known = column[np.isfinite(column)]
        if len(known) < LEAST_FRAMES:
            continue
        change[k] = np.median(known[-ENDS:]) - np.median(known[:ENDS])
        onwards = known * np.sign(change[k])
        noise[k] = coming_and_going(onwards)
        if change[k] < 0 or k not in (ABOVE, BELOW):
            lasting[k] = max(0.0, abs(change[k]) - float(np.diff(onwards).max()))
    worth = 1 / (noise**2 + UNSURE**2)
    return Way(change, worth, float(np.sqrt(lasting**2 @ worth)))


def coming_and_going(values: Floats) -> float:
    """How far values are from the nearest that never decrease, root mean square.

    >>> coming_and_going(np.array([0.0, 1.0, 1.0, 2.0])), coming_and_going(np.array([0.0, 2.0, 0.0, 2.0])).__round__(3)
    (0.0, 0.707)
    """
    from scipy.optimize import isotonic_regression

    return float(np.sqrt(((values - isotonic_regression(values).x) ** 2).mean()))


def going_back(states: Floats, way: Way) -> float | None:
    """The largest share of the way that is lost in a stretch of (N, d) states, its largest step left out; None where no
    stretch tells.

    >>> way = Way(np.array([2.0]), np.array([400.0]), 40.0)
    >>> turned = np.concatenate([np.linspace(0, 2, 21), np.linspace(2, 1, 11)[1:]])[:, None]
    >>> jump = np.repeat([2.0, 1.0], 12)[:, None]
    >>> [round(going_back(one, way), 2) for one in (turned, turned[::-1], jump)], going_back(jump[:7], way)
    ([0.3, 0.3, 0.0], None)
    """
    frames, told, most = max(STRETCH, len(states) // 4), way.change**2 * way.worth, None
    for start in range(len(states) - frames + 1):
        stretch = states[start : start + frames]
        known = np.isfinite(stretch).all(axis=0)
        if told[known].sum() < LEAST_TOLD * told.sum():
            continue
        shares = stretch[:, known] @ (way.change * way.worth)[known] / told[known].sum()
        losses = -np.diff(shares)
        most = max(most or 0.0, float(losses.sum() - losses.max()))
    return most
