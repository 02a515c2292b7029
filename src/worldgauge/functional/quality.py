"""Plain measures of picture quality: sharpness, noise, blockiness, exposure, colourfulness. None is an opinion.

All take one RGB image (H, W, 3) of bytes, or its grey version as floats in 0..255.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Grey = NDArray[np.float32]
Image = NDArray[np.uint8]

REBLUR = 9
"""Px; width of the box filter that sharpness compares with."""
NOISE_BLOCK = 16
"""Px; noise is read in blocks of this side, in the flattest of them."""
NOISE_QUANTILE = 0.1
CODING_BLOCK = 8
"""Px; side of the blocks of JPEG and of most video coding."""
FLAT = 0.5
"""Grey levels; differences between neighbours below this do not make a grid visible."""
CLIPPED = (2, 253)
"""Grey levels at or beyond which a pixel counts as clipped."""
NOISE_SCALE = 6.0
"""Grey levels of noise that halve the overall figure."""
BLOCK_SCALE = 0.5
"""Blockiness that halves the overall figure."""


def grey_of(image: Image) -> Grey:
    """Luma (Rec. 601), (H, W) in 0..255."""
    return np.asarray(image @ np.array([0.299, 0.587, 0.114], np.float32), np.float32)


def sharpness(grey: Grey) -> float:
    """Share of the differences between neighbours that a box blur would take away, in [0, 1]; 0 for a flat image.

    A sharp image loses most of them, a blurred one hardly any (after Crete et al., 2007). Noise looks sharp, too.
    """
    import cv2

    shares = []
    for axis, kernel in ((0, (1, REBLUR)), (1, (REBLUR, 1))):
        blurred = cv2.blur(grey, kernel, borderType=cv2.BORDER_REFLECT)
        before, after = np.abs(np.diff(grey, axis=axis)), np.abs(np.diff(blurred, axis=axis))
        total = float(before.sum())
        shares.append(float(np.maximum(before - after, 0).sum()) / total if total > 0 else 0.0)
    return min(shares)


def noise(grey: Grey) -> float:
    """Standard deviation of the grain in grey levels, read where the image is flattest.

    A second difference in both directions removes constants, ramps and straight edges along the axes (Immerkaer,
    1996); of its strength in small blocks a low quantile is taken, so that texture counts little.
    """
    import cv2

    kernel = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32) / 6
    height, width = (side // NOISE_BLOCK for side in grey.shape)
    if not height or not width:
        return 0.0
    response = cv2.filter2D(grey, cv2.CV_32F, kernel)[: height * NOISE_BLOCK, : width * NOISE_BLOCK]
    energy = (response**2).reshape(height, NOISE_BLOCK, width, NOISE_BLOCK).mean((1, 3))
    return float(np.sqrt(np.quantile(energy, NOISE_QUANTILE)))


def blockiness(grey: Grey) -> float:
    """How much the steps on a grid of coding blocks exceed those between its lines, 0 for none; any grid phase.

    Coding leaves both rows and columns, fences and shelves only one of them: the geometric mean counts.
    """
    return float(np.sqrt(_grid_excess(grey, 0) * _grid_excess(grey, 1)))


def exposure(grey: Grey) -> float:
    """Share of the pixels that are neither black nor white, in [0, 1]."""
    low, high = CLIPPED
    return float(((grey > low) & (grey < high)).mean())


def colourfulness(image: Image) -> float:
    """Spread and strength of the opponent colours, 0 for grey, about 100 for very colourful (Hasler et al., 2003).

    >>> colourfulness(np.full((4, 4, 3), 90, np.uint8))
    0.0
    """
    red, green, blue = np.moveaxis(image.astype(np.float32), 2, 0)
    first, second = red - green, (red + green) / 2 - blue
    return float(np.hypot(first.std(), second.std()) + 0.3 * np.hypot(first.mean(), second.mean()))


def overall_quality(sharp: float, grain: float, blocks: float) -> float:
    """Sharpness, lowered by noise and blockiness, in [0, 1]: falls with blur, noise and coarse coding alike.

    >>> overall_quality(0.8, 0.0, 0.0), overall_quality(0.8, NOISE_SCALE, 0.0)
    (0.8, 0.4)
    """
    return sharp / (1 + grain / NOISE_SCALE) / (1 + blocks / BLOCK_SCALE)


def _grid_excess(grey: Grey, axis: int) -> float:
    """Median, over the lines of the strongest grid, of each line's step beyond those between lines."""
    steps = np.abs(np.diff(grey, axis=axis)).mean(1 - axis)
    count = len(steps) // CODING_BLOCK
    if count < 3:
        return 0.0
    # One row per block, one column per phase; the median keeps a few edges of the scene from looking like a grid.
    table = steps[: count * CODING_BLOCK].reshape(count, CODING_BLOCK)
    lines = np.median(table / (np.median(table, axis=1, keepdims=True) + FLAT), axis=0)
    strongest = int(np.argmax(lines))
    return max(0.0, float(lines[strongest] - np.median(np.delete(lines, strongest))))
