"""When a target leaves the view and comes back, from the camera's turns alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from worldgauge.core.case import Phases

Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 as shares of the frame's width and height."""


def find_keyframes(rotation: ArrayLike, intrinsics: ArrayLike, size: tuple[int, int], box: Box) -> Phases | None:
    """First frame in which no part of the first frame's `box` is in view, and the first later one with all of it; None
    where the camera does not turn so far, or not back.

    `rotation` (N, 3, 3) camera-to-world, `intrinsics` (3, 3) for frames of `size`. The camera turns in place, as the
    real clips' does: what it sees in a direction does not depend on the distance.

    Source: arXiv 2606.27537, 3.1 (d_start: fully out of view; r_start: fully back).

    >>> turn = np.radians([0, 20, 40, 20, 0]); c, s, o = np.cos(turn), np.sin(turn), np.zeros(5)
    >>> poses = np.moveaxis(np.array([[c, o, s], [o, o + 1, o], [-s, o, c]]), 2, 0)
    >>> find_keyframes(poses, [[100, 0, 50], [0, 100, 30], [0, 0, 1]], (100, 60), (0.4, 0.4, 0.6, 0.6))
    Phases(gone=2, back=3, unordered=False)
    """
    seen_to = np.linalg.inv(np.asarray(rotation, np.float64)) @ np.asarray(rotation, np.float64)[0]
    lens = np.asarray(intrinsics, np.float64)
    corners = _outline(box) * size
    rays = np.linalg.solve(lens, np.column_stack([corners, np.ones(len(corners))]).T)
    turned = seen_to @ rays
    before = turned[:, 2] > 1e-6
    image = lens @ turned
    with np.errstate(all="ignore"):
        x, y = image[:, 0] / image[:, 2], image[:, 1] / image[:, 2]
    inside = before & (x >= 0) & (x <= size[0]) & (y >= 0) & (y <= size[1])
    away = np.flatnonzero(~inside.any(axis=1))
    if not away.size:
        return None
    back = np.flatnonzero(inside[away[0] :].all(axis=1))
    return Phases(gone=int(away[0]), back=int(away[0] + back[0])) if back.size else None


def _outline(box: Box, steps: int = 9) -> NDArray[np.float64]:
    """Points along the box's rim: a frame can be narrower than the box, with no corner of it inside."""
    x0, y0, x1, y1 = box
    along = np.linspace(0, 1, steps)
    xs, ys = x0 + (x1 - x0) * along, y0 + (y1 - y0) * along
    sides = [np.column_stack([xs, np.full(steps, y)]) for y in (y0, y1)]
    sides += [np.column_stack([np.full(steps, x), ys]) for x in (x0, x1)]
    return np.concatenate(sides)
