"""Optical flow as the benchmark uses it: the there-and-back error and the median.

A flow field is (H, W, 2), x then y, in pixels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored, WorldGaugeError
from worldgauge.functional.flow import magnitude, round_trip

Floats = NDArray[np.float32]
LONGEST = 20000.0
"""Px; no flow vector in an 8K frame is longer."""


def cycle_error(forward: Floats, backward: Floats, margin: int = 15) -> float:
    """Mean distance between a pixel and where it lands after going there and back, px. No occlusion is left out.

    `margin` pixels are cut off on each side first; the way back is looked up at the nearest pixel of the rest (halves
    to even), clipped to its border.

    Source: released code at commit 344983c.

    >>> there = np.full((40, 40, 2), (1.0, 0.0), np.float32)
    >>> cycle_error(there, -there), cycle_error(there, there)
    (0.0, 2.0)
    """
    inner = _inner(forward, backward, margin)
    there = np.asarray(forward[inner], np.float64)
    height, width = there.shape[:2]
    if not np.isfinite(there).all() or not np.isfinite(backward[inner]).all():
        raise WorldGaugeError("a flow vector is not finite")
    start = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).astype(np.float64)
    end = start + there
    column = np.clip(np.rint(end[..., 0]).astype(int), 0, width - 1)
    row = np.clip(np.rint(end[..., 1]).astype(int), 0, height - 1)
    back = np.asarray(backward[inner], np.float64)[row, column]
    return float(np.linalg.norm(end + back - start, axis=-1).mean())


def printed_cycle_error(forward: Floats, backward: Floats, margin: int = 15) -> float:
    """The same as printed: only the points that set out are cut, the way back is read bilinearly from the whole field.

    A point that leaves the view has no way back and is left out.

    Source: arXiv 2504.00983, S4 to S6.

    >>> there = np.full((40, 40, 2), (1.0, 0.0), np.float32)
    >>> printed_cycle_error(there, -there), printed_cycle_error(there, there)
    (0.0, 2.0)
    """
    inner = _inner(forward, backward, margin)
    if not np.isfinite(forward).all() or not np.isfinite(backward).all():
        raise WorldGaugeError("a flow vector is not finite")
    error, inside, _ = round_trip(forward, backward)
    if not inside[inner].any():
        raise Unscored("no point stays in view from one frame to the next")
    return float(error[inner][inside[inner]].mean(dtype=np.float64))


def _inner(forward: Floats, backward: Floats, margin: int) -> tuple[slice, slice]:
    """What is left of a frame without its margin."""
    if forward.shape != backward.shape:
        raise WorldGaugeError(f"flows of different shape: {forward.shape} and {backward.shape}")
    height, width = forward.shape[:2]
    if min(height, width) <= 2 * margin:
        raise Unscored(f"a flow of {width}x{height} px has nothing left without {margin} px a side")
    return slice(margin, height - margin), slice(margin, width - margin)


def median_magnitude(flow: Floats) -> float:
    """Median length of the vectors, px; of an even number the lower of the two in the middle.

    Source: released code at commit 344983c.

    >>> median_magnitude(np.array([[[3.0, 4.0], [0.0, 1.0]]], np.float32))
    1.0
    """
    lengths = magnitude(flow).ravel()
    if not np.isfinite(lengths).all():
        raise WorldGaugeError("a flow vector is not finite")
    middle = (lengths.size - 1) // 2
    return float(np.partition(lengths, middle)[middle])
