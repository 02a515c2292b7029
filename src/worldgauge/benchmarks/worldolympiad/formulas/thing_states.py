"""How a thing is from frame to frame, as far as a process may change it: its height, its shape, its colours.

What is whole alone counts: shape and colours of a part are those of the picture's edge. Where a thing stands beside its
first place is left out, and so is its size: what moves along or grows may as well move back or shrink.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldolympiad.formulas.thing_course import LEAST_FRAMES, course_of

Floats = NDArray[np.float64]
OTHER_COLOUR = 40.0
"""Lab levels that count as much as a fall by one size."""
HALVES = 2


def states_of(found: Mapping[str, np.ndarray]) -> Floats | str:
    """(m, 8) of the frames in which the thing is whole, from the arrays of `thing_motion`; in words why there are none.

    Columns: height in sizes, as far as it is known (beyond the course it stays, and without one it is 0); logarithm of
    width over height; Lab of the upper half and of the lower one.
    """
    whole = np.isfinite(found["area"]) & ~found["cut"].any(axis=1)
    if whole.sum() < LEAST_FRAMES:
        return f"the whole thing is in the picture in fewer than {LEAST_FRAMES} frames"
    course, frames = course_of(found), np.arange(len(whole))
    height = np.zeros(len(whole))
    if not isinstance(course, str):
        height = np.interp(frames, course.first + np.arange(len(course)), course.height)
    flatness = np.log((found["right"] - found["left"])[whole] / (found["bottom"] - found["top"])[whole])
    bands = found["bands"][whole]
    halves = bands.reshape(len(bands), HALVES, -1, 3).mean(axis=2).reshape(len(bands), -1)
    return np.column_stack([height[whole], flatness, halves / (OTHER_COLOUR * np.sqrt(HALVES))])
