"""How a thing is from frame to frame, as far as a process may change it: its height, its shape, its colours.

What an edge of the picture hides is not known, but what it leaves is: of a thing that is cut below, the upper side
still tells how tall it is, and of one that is cut beside, colours and height. Where a thing stands beside its first
place is left out: what moves along may as well move back.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldolympiad.formulas.thing_course import LEAST_FRAMES, filled, summed

Floats = NDArray[np.float64]
OTHER_COLOUR = 40.0
"""Lab levels, of the whole thing, that count as much as a fall by one size."""
ABOVE, BELOW = 0, 1
"""Columns of `cut`, and of the states those of the two sides whose height is told."""


def states_of(found: Mapping[str, np.ndarray]) -> Floats | str:
    """(N, 3 + 3 * bands) from the arrays of `thing_motion`, NaN where a number is not known; or why there are none.

    Columns: height of the upper side and of the lower one over the ground, in sizes; logarithm of width over height;
    Lab of the bands from above to below.
    """
    seen, cut = np.isfinite(found["area"]), found["cut"]
    whole = seen & ~cut.any(axis=1)
    if whole.sum() < LEAST_FRAMES:
        return f"the whole thing is in the picture in fewer than {LEAST_FRAMES} frames"
    size = np.interp(np.arange(len(seen)), np.flatnonzero(whole), np.sqrt(found["area"][whole]))
    upper, lower = seen & ~cut[:, ABOVE], seen & ~cut[:, BELOW]
    flatness = np.log((found["right"] - found["left"]) / (found["bottom"] - found["top"]))
    bands = found["bands"].reshape(len(seen), -1) / (OTHER_COLOUR * np.sqrt(found["bands"].shape[1]))
    return np.column_stack(
        [
            _height(found, "top", upper, size),
            _height(found, "bottom", lower, size),
            np.where(whole, flatness, np.nan),
            np.where((upper & lower)[:, None], bands, np.nan),
        ]
    )


def _height(found: Mapping[str, np.ndarray], side: str, known: NDArray[np.bool_], size: Floats) -> Floats:
    """(N,) of a side over where it was, sizes; it stays while it is not known."""
    ground, zoom = filled(found["ground"]), filled(found["zoom"])
    if ground is None:
        return np.full(len(size), np.nan)
    if zoom is not None:
        # What is nearer grows: away from the foot the picture moves by more than at the foot.
        ground = ground + zoom * (found[side] - found["bottom"])[:-1]
    steps = np.where(known[1:] & known[:-1], (ground - np.diff(found[side])) / size[:-1], 0.0)
    return np.where(known, summed(steps), np.nan)
