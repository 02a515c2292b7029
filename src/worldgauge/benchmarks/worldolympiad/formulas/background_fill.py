"""Filling what moves with what is seen there at other times, as the released code does before it reconstructs.

Pixels are taken from the same place of other frames, whatever the camera did in between: with a moving camera wrong
background is pasted in. The nearest frame that shows the pixel counts, the earlier of two at the same distance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Images = NDArray[np.uint8]
NEAR_BLACK = 8
"""A source pixel with no channel above this is not used."""
INPAINT_RADIUS = 3


def fill_background(frames: Images, masks: NDArray[np.bool_]) -> tuple[Images, NDArray[np.bool_]]:
    """Frames (T, H, W, 3) with the masked (T, H, W) pixels filled, and where nothing could be taken: inpainted."""
    if len(frames) != len(masks):
        raise ValueError(f"{len(frames)} frames and {len(masks)} masks")
    usable = ~masks & (frames > NEAR_BLACK).any(axis=-1)
    filled, left = frames.copy(), np.zeros(masks.shape, bool)
    for index in range(len(frames)):
        missing = masks[index].copy()
        for offset in range(1, len(frames)):
            for source in (index - offset, index + offset):
                if 0 <= source < len(frames):
                    take = missing & usable[source]
                    filled[index][take] = frames[source][take]
                    missing &= ~take
            if not missing.any():
                break
        left[index] = missing
        if missing.any():
            filled[index] = inpainted(filled[index], missing)
    return filled, left


def inpainted(image: Images, missing: NDArray[np.bool_]) -> Images:
    """Telea's inpainting of the marked pixels."""
    import cv2

    found: Images = np.asarray(
        cv2.inpaint(image, missing.astype(np.uint8) * 255, INPAINT_RADIUS, cv2.INPAINT_TELEA), np.uint8
    )
    return found
