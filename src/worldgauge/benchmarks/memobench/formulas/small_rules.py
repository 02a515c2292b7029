"""Small rules of the released code that nothing else needs: which frames are rewarded, network input, fallbacks."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

REWARD_FRAMES = 5


def reward_frames(frames: int) -> list[int]:
    """Frames shown to the prompt-fidelity network.

    >>> reward_frames(6)
    [0, 1, 2, 3, 5]
    """
    return [int(i * (frames - 1) / (REWARD_FRAMES - 1)) for i in range(REWARD_FRAMES)]


def padded(image: NDArray[np.uint8], multiple: int = 8) -> NDArray[np.float32]:
    """A frame as the flow network gets it: [0, 1], right and bottom edge repeated up to a multiple of eight pixels."""
    height, width = image.shape[:2]
    filled = np.pad(image, ((0, -height % multiple), (0, -width % multiple), (0, 0)), mode="edge")
    return filled.astype(np.float32) / np.float32(255)


def laplacian_quality(image: NDArray[np.uint8]) -> float:
    """The quality the released code silently reports when its network cannot be made: sharpness of an RGB image.

    Kept for comparison with the original only; here a missing network leaves the metric unscored.
    """
    import cv2

    grey = cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_RGB2GRAY)
    return 1.0 - math.exp(-float(cv2.Laplacian(grey, cv2.CV_64F).var()) / 500.0)
