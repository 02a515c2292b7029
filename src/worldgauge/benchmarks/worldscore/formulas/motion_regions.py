"""Does the motion happen where it was asked for? Flow inside against flow outside a mask."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored, WorldGaugeError
from worldgauge.functional.flow import magnitude

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

DILATION = 21
"""Side in pixels of the square a mask is grown by."""


def grow(mask: Mask, side: int = DILATION) -> Mask:
    """The mask (H, W) dilated by a square of `side` pixels.

    >>> dot = np.zeros((5, 5), bool); dot[2, 2] = True
    >>> int(grow(dot, 3).sum())
    9
    """
    import cv2

    grown: Mask = cv2.dilate(mask.astype(np.uint8), np.ones((side, side), np.uint8)).astype(bool)
    return grown


def loses_an_odd_side(field: Sequence[int], mask: Sequence[int]) -> bool:
    """Whether a flow field (height, width) lacks the last row or column of a mask with an odd side, as one that was
    estimated at half size does. The released code raises there, and stores what it stores for a lost object.

    >>> loses_an_odd_side((64, 80), (65, 80)), loses_an_odd_side((64, 80), (64, 80))
    (True, False)
    """
    return tuple(field) != tuple(mask) and all(side == full - full % 2 for side, full in zip(field, mask, strict=True))


def region_contrast(flow: Floats, mask: Mask) -> float:
    """Longest vector inside the mask minus longest vector outside, px.

    Source: released code at commit 344983c.

    >>> flow = np.zeros((1, 2, 2), np.float32); flow[0, 0] = 3.0, 4.0
    >>> region_contrast(flow, np.array([[True, False]]))
    5.0
    """
    lengths = _lengths(flow, mask)
    if not mask.any():
        raise Unscored("the object is lost: its mask is empty")
    if mask.all():
        raise Unscored("the mask covers the whole frame, so nothing is outside")
    return float(lengths[mask].max() - lengths[~mask].max())


def printed_contrast(flow: Floats, mask: Mask) -> float:
    """max(F M) - max(F (1 - M)): as `region_contrast`, and where nothing is inside or outside, that side counts 0.

    Source: arXiv 2504.00983, S7.

    >>> flow = np.zeros((1, 2, 2), np.float32); flow[0, 0] = 3.0, 4.0
    >>> printed_contrast(flow, np.array([[False, False]])), printed_contrast(flow, np.array([[True, True]]))
    (-5.0, 5.0)
    """
    lengths = _lengths(flow, mask)
    return float((lengths * mask).max() - (lengths * ~mask).max())


def _lengths(flow: Floats, mask: Mask) -> Floats:
    if flow.shape[:2] != mask.shape:
        raise WorldGaugeError(
            f"a mask of {mask.shape[1]}x{mask.shape[0]} px does not fit a flow of {flow.shape[1]}x{flow.shape[0]} px"
        )
    lengths = magnitude(flow)
    if not np.isfinite(lengths).all():
        raise WorldGaugeError("a flow vector is not finite")
    return lengths


def contrast_or_nan(flow: Floats, mask: Mask) -> float:
    """`region_contrast`, NaN where the object is lost or fills the view."""
    try:
        return region_contrast(flow, mask)
    except Unscored:
        return float("nan")
