"""Which masks of a frame count as its moving things, and how they are drawn for a judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
Box = tuple[float, float, float, float]

LEAST_SCORE = 0.7
LEAST_AREA = 0.005
MOST = 3
COLOURS = ((0, 255, 0), (0, 0, 255), (255, 0, 0), (0, 255, 255), (255, 0, 255))
"""Of boxes, RGB, by the number of the name modulo five."""
THICKNESS = 2
GROWN = (5, 2)
"""Size of the square by which a mask is grown, and how often."""


@dataclass(frozen=True, eq=False)
class Found:
    """One thing in one frame."""

    mask: Mask
    """(H, W)"""
    score: float
    name: int
    """Number of the name it was asked for by."""
    box: Box | None = None
    """x0, y0, x1, y1 as the network tells it; else that of the mask."""

    @property
    def area(self) -> float:
        """Share of the frame."""
        return float(self.mask.mean()) if self.mask.size else 0.0

    def corners(self) -> tuple[int, int, int, int] | None:
        """The box in whole pixels, both corners included; None for an empty mask without a box."""
        if self.box is not None:
            x0, y0, x1, y1 = (int(value) for value in self.box)
            return x0, y0, x1, y1
        rows, columns = np.nonzero(self.mask)
        if not len(rows):
            return None
        return int(columns.min()), int(rows.min()), int(columns.max()), int(rows.max())


def chosen(found: Sequence[Found]) -> list[Found]:
    """The things that count: sure enough, large enough where any is, the largest three.

    A score of exactly 0.7 in single precision lies below 0.7 and is left out, as released.
    """
    sure = [one for one in found if one.score >= LEAST_SCORE]
    large = [one for one in sure if one.area >= LEAST_AREA] or sure
    return sorted(large, key=lambda one: (one.area, one.score), reverse=True)[:MOST]


def moving_mask(things: Sequence[Found], height: int, width: int) -> Mask:
    """Where anything moves, (H, W): all masks together, grown."""
    import cv2

    union = np.zeros((height, width), np.uint8)
    for one in things:
        union |= one.mask.astype(np.uint8)
    grown = cv2.dilate(union, np.ones((GROWN[0], GROWN[0]), np.uint8), iterations=GROWN[1])
    return np.asarray(grown, np.uint8) > 0


def with_boxes(frame: NDArray[np.uint8], things: Sequence[Found]) -> NDArray[np.uint8]:
    """An RGB frame (H, W, 3) with the boxes of these things drawn in, as the judge sees it."""
    import cv2

    drawn = np.array(frame, np.uint8)
    for one in things:
        corners = one.corners()
        if corners is not None:
            cv2.rectangle(drawn, corners[:2], corners[2:], COLOURS[one.name % len(COLOURS)], THICKNESS)
    return drawn
