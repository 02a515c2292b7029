"""Fitting first-frame masks of moving objects to a clip."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldscore.formulas.image_fit import crop_box

Mask = NDArray[np.bool_]


def fitted_union(masks: Sequence[Mask], size: tuple[int, int], *, crop: bool) -> Mask:
    """All masks in one, at the size (width, height) of a clip.

    `crop` cuts them as the conditioning image was cut; the released code squashes them instead, so they lie beside
    their objects wherever the aspect ratios differ.
    """
    import cv2

    merged = np.any(np.stack(masks), axis=0)
    if crop:
        left, top, right, bottom = crop_box((merged.shape[1], merged.shape[0]), size)
        merged = merged[top:bottom, left:right]
    resized = cv2.resize(merged.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    return np.asarray(resized >= 0.5)
