"""Faces out of a detector's raw numbers, and a face brought to where a network expects eyes, nose and mouth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TEMPLATE = np.array(
    [(38.2946, 51.6963), (73.5318, 51.5014), (56.0252, 71.7366), (41.5493, 92.3655), (70.7299, 92.2041)]
)
"""Where eyes, nose and the corners of the mouth lie in a face of 112x112 px."""


def anchor_centres(side: int, stride: int, anchors: int) -> Floats:
    """Points (x, y) of a square grid that detections are told from, row by row, each as often as it has anchors.

    >>> anchor_centres(16, 8, 2).tolist()
    [[0.0, 0.0], [0.0, 0.0], [8.0, 0.0], [8.0, 0.0], [0.0, 8.0], [0.0, 8.0], [8.0, 8.0], [8.0, 8.0]]
    """
    steps = np.arange(side // stride, dtype=np.float64) * stride
    across, down = np.meshgrid(steps, steps)
    return np.repeat(np.stack([across, down], -1).reshape(-1, 2), anchors, axis=0)


def boxes_around(centres: Floats, distances: Floats) -> Floats:
    """Boxes x0, y0, x1, y1 out of how far their left, top, right and bottom sides are from points.

    >>> boxes_around(np.array([[10.0, 20.0]]), np.array([[1.0, 2.0, 3.0, 4.0]])).tolist()
    [[9.0, 18.0, 13.0, 24.0]]
    """
    return np.concatenate([centres - distances[:, :2], centres + distances[:, 2:]], 1)


def surest_apart(boxes: Floats, scores: Floats, overlap: float) -> list[int]:
    """Numbers of the boxes kept, surest first: none overlaps a surer one by more than `overlap` of their union.

    Sides count their last pixel, as in the code the detector comes from.

    >>> surest_apart(np.array([[0, 0, 9, 9], [0, 0, 9, 8], [20, 0, 29, 9.0]]), np.array([0.7, 0.9, 0.6]), 0.4)
    [1, 2]
    """
    sizes = (boxes[:, 2:] - boxes[:, :2] + 1).prod(1)
    waiting = np.argsort(-scores, kind="stable")
    kept = []
    while len(waiting):
        first, rest = waiting[0], waiting[1:]
        kept.append(int(first))
        corners = np.maximum(boxes[first, :2], boxes[rest, :2]), np.minimum(boxes[first, 2:], boxes[rest, 2:])
        shared = np.maximum(corners[1] - corners[0] + 1, 0).prod(1)
        waiting = rest[shared / (sizes[first] + sizes[rest] - shared) <= overlap]
    return kept


def similarity(points: Floats, onto: Floats) -> Floats:
    """The turn, scale and shift (2, 3) that bring points (P, 2) nearest to others in the sum of squares.

    Of points as complex numbers it is the straight line of least squares.

    >>> square = np.array([(0, 0), (1, 0), (1, 1), (0, 1.0)])
    >>> turned = 2 * square @ np.array([(0, 1), (-1, 0.0)]) + (5, 6)
    >>> (similarity(square, turned) + 0.0).round(9).tolist()
    [[0.0, -2.0, 5.0], [2.0, 0.0, 6.0]]
    """
    here, there = (part[:, 0] + 1j * part[:, 1] for part in (points, onto))
    off = here - here.mean()
    factor = np.vdot(off, there - there.mean()) / np.vdot(off, off).real
    shift = there.mean() - factor * here.mean()
    return np.array([[factor.real, -factor.imag, shift.real], [factor.imag, factor.real, shift.imag]])
