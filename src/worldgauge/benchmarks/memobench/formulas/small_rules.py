"""Small rules of the released code that nothing else needs: which frames are rewarded, and a fallback."""

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


def laplacian_quality(image: NDArray[np.uint8]) -> float:
    """The quality the released code silently reports when its network cannot be made: sharpness of an RGB image.

    Here a missing network leaves the metric unscored, unless the instrument `memobench_laplacian` is put in its seat.
    """
    import cv2

    grey = cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_RGB2GRAY)
    return 1.0 - math.exp(-float(cv2.Laplacian(grey, cv2.CV_64F).var()) / 500.0)
