"""First-frame masks of moving objects, cut as the picture of a case is cut for a clip."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldscore.formulas.image_fit import crop_box

Mask = NDArray[np.bool_]


def cut_mask(mask: Mask, size: tuple[int, int]) -> Mask:
    """The part of a mask that a clip of this size (width, height) shows.

    The released code squashes masks instead, so they lie beside their objects wherever the aspect ratios differ.

    >>> cut_mask(np.ones((4, 8), bool), (2, 2)).shape
    (4, 4)
    """
    left, top, right, bottom = crop_box((mask.shape[1], mask.shape[0]), size)
    return mask[top:bottom, left:right]
