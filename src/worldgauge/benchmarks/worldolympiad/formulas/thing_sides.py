"""A thing in a picture, and how its surface and its surroundings move from one frame to the next.

Rows count downwards, so a positive vertical motion is a motion down.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.masks import Mask

Floats = NDArray[np.float64]
LEAST_PIXELS = 12
"""Of a thing whose sides can be told."""
RIM = 0.02
"""Share of its pixels beyond each side: a speck or a wisp of a mask moves no side."""
ROUNDS = 4
"""Fits of a motion; each leaves out what the one before could not explain."""
WITHIN = 2.5
"""Median deviations from the fit,"""
NOISE = 0.15
"""or px if that is more, within which a corner follows it."""
LEAST_SPARE = 4
"""Corners beyond the unknowns of a fit."""


@dataclass(frozen=True)
class Sides:
    """Where a thing begins and ends, px."""

    top: float
    bottom: float
    left: float
    right: float
    middle: float
    """Mean column."""
    area: float
    """Pixels."""

    @property
    def size(self) -> float:
        """Square root of the area."""
        return float(np.sqrt(self.area))


def sides_of(mask: Mask) -> Sides | None:
    """Sides of a mask, a fiftieth of it left out at each; None where it is too small.

    >>> box = np.zeros((20, 20), bool)
    >>> box[4:14, 5:10] = True
    >>> sides_of(box)
    Sides(top=4.0, bottom=14.0, left=5.0, right=10.0, middle=7.5, area=50.0)
    """
    rows, columns = np.nonzero(mask)
    if len(rows) < LEAST_PIXELS:
        return None
    skipped = int(RIM * len(rows))
    rows.sort()
    middle = float(columns.mean()) + 0.5
    columns.sort()
    top, bottom, left, right = rows[skipped], rows[-1 - skipped], columns[skipped], columns[-1 - skipped]
    return Sides(float(top), float(bottom) + 1, float(left), float(right) + 1, middle, float(len(rows)))


def fitted_motion(points: Floats, motion: Floats, at: tuple[float, float], unit: float) -> Floats | None:
    """Motion (K,) of points (K, 2) as a constant, and its growth to the right and downwards; None where few agree.

    The constant is the motion at the point `at` (x, y), the growths are per `unit` px.

    >>> points = np.array([(x, y) for x in range(4) for y in range(4)], float)
    >>> fitted_motion(points, points @ [0.25, 0.5] + 2, (0.0, 2.0), 1.0).round(6).tolist()
    [3.0, 0.25, 0.5]
    """
    across = np.column_stack([np.ones(len(points)), (points - np.asarray(at)) / unit])
    follows = np.ones(len(points), bool)
    found: Floats | None = None
    for _ in range(ROUNDS):
        if follows.sum() < across.shape[1] + LEAST_SPARE:
            return None
        found = np.asarray(np.linalg.lstsq(across[follows], motion[follows], rcond=None)[0])
        off = np.abs(across @ found - motion)
        follows = off <= max(WITHIN * float(np.median(off[follows])), NOISE)
    return found
