"""Masks: overlap, boxes, resizing, and a compact form for storing a mask per frame."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError

Mask = NDArray[np.bool_]
Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in pixels, right and bottom excluded."""
SAME_PLACE = 0.5
"""Overlap from which on two outlines are of one thing at one place."""


def iou(first: Mask, second: Mask) -> float:
    """Intersection over union; 1 when both are empty.

    >>> iou(np.array([True, True, False]), np.array([False, True, True]))
    0.3333333333333333
    """
    union = np.count_nonzero(first | second)
    return float(np.count_nonzero(first & second) / union) if union else 1.0


def same_place(first: Mask, second: Mask) -> bool:
    """Whether two outlines are of one thing at one place."""
    return iou(first, second) >= SAME_PLACE


def f1(found: Mask, truth: Mask) -> float:
    """Harmonic mean of precision and recall (Dice); 1 when both are empty.

    >>> f1(np.array([True, True, False]), np.array([False, True, True]))
    0.5
    """
    total = np.count_nonzero(found) + np.count_nonzero(truth)
    return float(2 * np.count_nonzero(found & truth) / total) if total else 1.0


def box_of(mask: Mask) -> Box | None:
    """The tightest box around a mask; None when it is empty.

    >>> box_of(np.array([[False, True, True], [False, True, False]]))
    (1.0, 0.0, 3.0, 2.0)
    """
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    if not rows.size:
        return None
    return float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1)


def mask_of(box: Box, height: int, width: int) -> Mask:
    """The pixels whose centre lies in a box."""
    x, y = np.arange(width) + 0.5, np.arange(height) + 0.5
    inside: Mask = ((y >= box[1]) & (y < box[3]))[:, None] & ((x >= box[0]) & (x < box[2]))
    return inside


def resize_mask(mask: Mask, height: int, width: int) -> Mask:
    """A mask at another size: where at least half of the new pixel is covered."""
    if mask.shape == (height, width):
        return mask
    import cv2

    shrinks = height * width < mask.size
    flag = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(mask.astype(np.float32), (width, height), interpolation=flag) >= 0.5)


def encode_masks(masks: Sequence[Mask]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Run lengths of masks of one size: all runs one after another, and where each mask's runs start (N + 1).

    Row by row; a mask's first run is of False pixels and may have length 0.

    >>> runs, starts = encode_masks([np.array([[False, True], [True, False]])])
    >>> runs.tolist(), starts.tolist()
    ([1, 2, 1], [0, 3])
    """
    rows = [_run_lengths(mask.ravel()) for mask in masks]
    starts = np.cumsum([0, *(len(row) for row in rows)]).astype(np.uint32)
    return (np.concatenate(rows) if rows else np.zeros(0, np.uint32)), starts


def decode_masks(runs: NDArray[np.uint32], starts: NDArray[np.uint32], height: int, width: int) -> list[Mask]:
    """The masks that `encode_masks` packed."""
    masks = []
    for first, last in pairwise(starts):
        row = runs[first:last]
        if row.sum() != height * width:
            raise WorldGaugeError(f"packed masks do not fit {width}x{height} pixels", "decode with the stored size")
        masks.append(np.repeat(np.arange(len(row)) % 2 == 1, row).reshape(height, width))
    return masks


def _run_lengths(flat: Mask) -> NDArray[np.uint32]:
    changes = np.flatnonzero(np.diff(flat)) + 1
    lengths = np.diff([0, *changes, flat.size])
    return np.asarray([0, *lengths] if flat.size and flat[0] else lengths, np.uint32)
