"""Resizing with a named interpolation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_FLAGS = {
    "nearest": "INTER_NEAREST",
    "bilinear": "INTER_LINEAR",
    "bicubic": "INTER_CUBIC",
    "area": "INTER_AREA",
    "lanczos": "INTER_LANCZOS4",
}


def resize(image: NDArray[np.uint8], size: tuple[int, int], interpolation: str) -> NDArray[np.uint8]:
    """`image` (H, W, 3) at `size` (width, height), by OpenCV's method of that name; untouched when it fits already."""
    if (image.shape[1], image.shape[0]) == size:
        return image
    import cv2

    return np.asarray(cv2.resize(image, size, interpolation=getattr(cv2, _FLAGS[interpolation])), np.uint8)
