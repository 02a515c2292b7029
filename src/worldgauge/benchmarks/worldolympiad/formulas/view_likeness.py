"""The perceptual variant of the score of views: no judge, a network that tells how unlike two pictures look."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def view_likeness(distances: NDArray[np.float64]) -> float:
    """1 less the mean LPIPS distance of views and frames, held within 0 and 1.

    Source: released code at commit bb2e240, its option; arXiv 2606.11129, 3.2.2.

    >>> view_likeness(np.array([0.2, 0.4])), view_likeness(np.array([1.5]))
    (0.7, 0.0)
    """
    return round(float(np.clip(1 - np.mean(distances), 0.0, 1.0)), 12)
