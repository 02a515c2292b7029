"""What moves by itself: where optical flow does not fit the motion of the camera through a static scene."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.pose import relative

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

LEAST_PIXELS = 1.5
"""Px of a frame 416 wide by which flow must miss what a static point could do."""
LEAST_SHARE = 0.15
"""And this share of its own length beyond the camera's turn, which excuses what errs with speed."""
LEAST_AREA, MOST_AREA, MOST_THINGS = 0.001, 0.15, 3
"""Shares of the frame that one thing must fill and that all together may: where everything sways it is no thing that
moves but the scene that does not hold, and that must count."""
STEADY = 1e-6


def misses(flow: NDArray[np.float32], here: Floats, there: Floats, lens: Floats) -> Floats:
    """(H, W) px by which the end of each flow vector misses the nearest place a static point ahead could have.

    `flow` (H, W, 2) leads from a frame with the pose `here` (4, 4) to one with `there`; `lens` is (3, 3).
    """
    height, width = flow.shape[:2]
    step = relative(here, there)
    row, column = np.mgrid[:height, :width] + 0.5
    ray = np.stack([(column - lens[0, 2]) / lens[0, 0], (row - lens[1, 2]) / lens[1, 1], np.ones_like(row)], axis=-1)
    turned = ray @ step[:3, :3]
    far = _pixels(turned, lens)
    apart = np.stack([column + flow[..., 0], row + flow[..., 1]], axis=-1) - far
    centre = step[:3, :3].T @ -step[:3, 3]
    if np.linalg.norm(centre) < STEADY:
        return np.asarray(np.linalg.norm(apart, axis=-1))
    # A static point lies on the line from where it would be at infinity towards where it would be if it were near.
    towards = _pixels(turned + 0.05 / np.linalg.norm(centre) * centre, lens) - far
    length = np.linalg.norm(towards, axis=-1, keepdims=True)
    unit = towards / np.maximum(length, 1e-9)
    along = np.maximum((apart * unit).sum(-1, keepdims=True), 0.0)
    return np.asarray(np.linalg.norm(apart - along * unit, axis=-1))


def _pixels(points: Floats, lens: Floats) -> Floats:
    depth = np.maximum(points[..., 2:], 1e-3)
    return np.asarray(points[..., :2] / depth * np.array([lens[0, 0], lens[1, 1]]) + lens[:2, 2])


def things(miss: Floats, speed: Floats, width: int) -> Mask:
    """(H, W) where something moves by itself: at most three pieces, the largest, and no more than a part of the frame.

    `miss` and `speed` (H, W) are of one frame, px.
    """
    import cv2

    unit = width / 416
    loose = (miss > np.maximum(LEAST_PIXELS * unit, LEAST_SHARE * speed)).astype(np.uint8)
    square = np.ones((3, 3), np.uint8)
    whole = cv2.morphologyEx(cv2.morphologyEx(loose, cv2.MORPH_OPEN, square), cv2.MORPH_CLOSE, square, iterations=2)
    _, labels, table, _ = cv2.connectedComponentsWithStats(whole)
    area = table[1:, cv2.CC_STAT_AREA] / whole.size
    found = np.zeros(whole.shape, bool)
    total = 0.0
    for k in np.argsort(-area)[:MOST_THINGS]:
        if area[k] >= LEAST_AREA and total + area[k] <= MOST_AREA:
            found |= labels == k + 1
            total += area[k]
    return found
