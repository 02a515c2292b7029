"""Smoothness of motion as photometric error after warping by optical flow."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
TEMPERATURE = 0.15
"""Error, as a share of full range, at which smoothness has fallen to 1/e."""
FEWEST_FRAMES = 3
"""Sampled frames a phase needs under the released rule; with fewer it scores 0."""


def forward_sampled_error(image: NDArray[np.uint8], following: NDArray[np.uint8], flow: Floats) -> float:
    """Mean |image(x + flow) - following(x)| as a share of full range, bilinear, borders repeated.

    MemoBench's warp: the flow leads from `image` to `following`, yet `image` is fetched *ahead* along it. Equal to the
    right warp only where the flow is zero. `image`, `following` (H, W, 3); `flow` (H, W, 2), px.

    Source: released code at commit f4edb0c; arXiv 2606.27537, Eq. 3, does not say which way to warp.
    """
    from scipy.ndimage import map_coordinates

    height, width = image.shape[:2]
    x = np.arange(width, dtype=np.float32) + flow[..., 0]
    y = np.arange(height, dtype=np.float32)[:, None] + flow[..., 1]
    total = 0.0
    for channel in range(image.shape[2]):
        source = image[..., channel].astype(np.float32) / np.float32(255)
        warped = map_coordinates(source, [y, x], order=1, mode="nearest", prefilter=False)
        truth = following[..., channel].astype(np.float32) / np.float32(255)
        total += float(np.abs(warped - truth).mean(dtype=np.float64))
    return float(total / image.shape[2])


def decay(error: float, temperature: float = TEMPERATURE) -> float:
    """Error to smoothness in [0, 1].

    Source: arXiv 2606.27537, Eq. 3.

    >>> decay(0.0), round(decay(0.15), 4)
    (1.0, 0.3679)
    """
    return math.exp(-error / temperature)


def back_phase_counts(frames: int, back: int) -> bool:
    """Whether the released rule averages the back phase in at all: from three frames on, though up to eight score 0.

    >>> back_phase_counts(15, 12), back_phase_counts(14, 12)
    (True, False)
    """
    return frames - 1 - back >= 2


def released_phase(errors: Sequence[float], frames_sampled: int, temperature: float = TEMPERATURE) -> float:
    """Smoothness of one phase; 0 when it holds fewer than three sampled frames.

    >>> released_phase([0.15], 2)
    0.0
    """
    if frames_sampled < FEWEST_FRAMES:
        return 0.0
    return decay(float(np.mean(errors)), temperature)


def released_smoothness(visible: float, back: float | None) -> float:
    """Mean of the phases, rounded to four decimals; `back` is None when that phase has fewer than three frames."""
    scores = [visible] if back is None else [visible, back]
    return round(float(np.mean(scores)), 4)


def paper_smoothness(errors: Sequence[float], temperature: float = TEMPERATURE) -> float:
    """One mean error over all pairs of both phases, then the exponential.

    Source: arXiv 2606.27537, Eq. 3.

    >>> round(paper_smoothness([0.0, 0.3]), 4)
    0.3679
    """
    return decay(float(np.mean(errors)), temperature)
