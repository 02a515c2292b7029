"""Where something that bounces turns round, between the frames."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LEAST_TURN = 0.3
"""Sizes that a thing comes down in two frames, and goes up in the next two, where it bounces."""
LEAST_REBOUNDS = 3
"""Rebounds that make a trend."""
LEAST_TREND = 0.35
"""Sizes from the first level to the last."""


def rebound_levels(height: Floats) -> Floats:
    """(R,) heights at which (n,) frames show a rebound: where the line down meets the line up.

    >>> rebound_levels(np.abs(np.arange(9) - 4.5)).round(6).tolist()
    [0.0]
    """
    levels = []
    for k in range(2, len(height) - 2):
        before, here, after = height[k - 2 : k], height[k], height[k + 1 : k + 3]
        lowest = here < before[1] and here <= after[0]
        if lowest and before[0] - here >= LEAST_TURN and after[1] - here >= LEAST_TURN:
            down, up = before[1] - before[0], after[1] - after[0]
            late = (after[0] - before[1] - 2 * up) / (down - up)
            levels.append(float(before[1] + down * late))
    return np.array(levels)


def rebound_trend(height: Floats) -> float:
    """Sizes by which a thing that bounces turns round higher each time, negative if lower; 0 without such a trend.

    >>> time = np.arange(33)
    >>> ball = np.abs(np.sin(np.pi * (time / 8 + 0.4))) * 2
    >>> rebound_trend(ball), round(rebound_trend(ball + 0.05 * time), 1), round(rebound_trend(ball - 0.05 * time), 1)
    (0.0, 1.2, -1.2)
    """
    levels = rebound_levels(height)
    if len(levels) < LEAST_REBOUNDS:
        return 0.0
    steps, trend = np.diff(levels), float(levels[-1] - levels[0])
    return trend if abs(trend) >= LEAST_TREND and (steps * trend > 0).all() else 0.0
