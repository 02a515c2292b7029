"""Frames made ready for tracking: light that jumps is taken away, grain is smoothed. Ordinary clips are left alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worldgauge.instruments.pocket.corner_tracks import Grey

FLICKER = 3.5
"""Grey levels; median jump of the mean brightness, its steady change taken off, from which a clip flickers."""
FLICKER_SPREAD = 3.0
"""Px; brightness that varies more slowly than this across the frame is taken away from a flickering clip."""
GRAIN = 3.0
"""Grey levels; standard deviation of the noise from which a clip is grainy."""
GRAIN_BLUR = 0.7
"""Px; standard deviation of the blur that keeps grain from looking like corners."""
LAPLACE_PAIR = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32) / 6
"""Blind to edges and gradients, of unit gain for white noise (Immerkaer 1996)."""


def without_flicker(greys: Sequence[Grey]) -> Sequence[Grey]:
    """The frames as they are, or, where their light jumps, only their fine detail: tracking trusts brightness."""
    import cv2

    jumps = np.abs(np.diff([grey.mean() for grey in greys], 2))
    if not len(jumps) or np.median(jumps) <= FLICKER:
        return greys
    fine = [g.astype(np.float32) - cv2.GaussianBlur(g.astype(np.float32), (0, 0), FLICKER_SPREAD) for g in greys]
    return [np.clip(f + 128, 0, 255).astype(np.uint8) for f in fine]


def grain(greys: Sequence[Grey], looked_at: int = 9) -> float:
    """Standard deviation of the pixel noise, grey levels: the median over frames spread over the clip.

    The median over pixels keeps texture, which covers part of a frame, from counting as noise, which covers all of it.
    """
    import cv2

    chosen = np.unique(np.linspace(0, len(greys) - 1, looked_at).astype(int))
    responses = [cv2.filter2D(greys[i].astype(np.float32), -1, LAPLACE_PAIR)[1:-1, 1:-1] for i in chosen]
    return float(np.median([np.median(np.abs(r)) / 0.6745 for r in responses]))


def smoothed(greys: Sequence[Grey]) -> list[Grey]:
    """The frames with their grain softened."""
    import cv2

    return [np.asarray(cv2.GaussianBlur(grey, (0, 0), GRAIN_BLUR), np.uint8) for grey in greys]
