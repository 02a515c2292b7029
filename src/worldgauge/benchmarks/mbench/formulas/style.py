"""Style by Gram matrices: how far it moves, from frame to frame or from early to late."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def style_score(distances: Floats) -> float:
    """1 less the mean of Gram distances (P, layers) of pairs of frames, not below 0.

    Source: MBench, Eq. 13.

    >>> style_score(np.array([[0.1, 0.3], [0.0, 0.0]])), style_score(np.array([[3.0]]))
    (0.9, 0.0)
    """
    return float(np.clip(1.0 - distances.mean(axis=1).mean(), 0.0, 1.0))


def early_late_frames(count: int, each: int = 8, share: float = 0.4) -> tuple[list[int], list[int]]:
    """Up to `each` frames spread over the first and over the last `share` of a clip.

    >>> early_late_frames(100, each=3)
    ([0, 19, 39], [60, 79, 99])
    """
    reach = max(1, int(share * count))
    early = np.unique(np.linspace(0, reach - 1, each).astype(int))
    return early.tolist(), (early + count - reach).tolist()
