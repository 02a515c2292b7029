"""What the empirical bounds are made from: clips that must score 0, and the line through the scores of models.

Source: arXiv 2504.00983, C.8.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError

Image = NDArray[np.uint8]
Frames = NDArray[np.uint8]


def morph(first: Image, last: Image, count: int, between: Callable[[Image, Image], Image]) -> Frames:
    """A clip of `count` frames that turns one picture into another: halved again and again by a frame interpolation.

    >>> dark, light = np.zeros((1, 1, 3), np.uint8), np.full((1, 1, 3), 100, np.uint8)
    >>> clip = morph(dark, light, 5, lambda a, b: ((a.astype(int) + b) // 2).astype(np.uint8))
    >>> clip[:, 0, 0, 0].tolist()
    [0, 25, 50, 75, 100]
    """
    steps = count - 1
    if steps < 2 or steps & (steps - 1):
        raise WorldGaugeError(f"{count} frames cannot be made by halving", "take 5, 9 or 17 frames")
    frames: dict[int, Image] = {0: first, steps: last}
    while steps > 1:
        half = steps // 2
        for start in range(0, count - 1, steps):
            frames[start + half] = between(frames[start], frames[start + steps])
        steps = half
    return np.stack([frames[k] for k in range(count)])


def odd_frames_mixed(frames: Frames) -> Frames:
    """The clip with every odd frame replaced by the mean of its neighbours; a last frame without one stays.

    >>> odd_frames_mixed(np.array([0, 90, 20], np.uint8)[:, None, None, None])[:, 0, 0, 0].tolist()
    [0, 10, 20]
    """
    if len(frames) < 3:
        raise WorldGaugeError(f"a clip of {len(frames)} frames has no frame between two others", "take longer clips")
    mixed = frames.copy()
    inner = slice(1, len(frames) - 1, 2)
    before, after = frames[0 : len(frames) - 2 : 2], frames[2::2]
    mixed[inner] = np.rint((before.astype(np.float32) + after) / 2).astype(np.uint8)
    return mixed


@dataclass(frozen=True)
class ZLine:
    """Where the scores of models lie, and the raw values that score 0 and 100 by it."""

    mean: float
    deviation: float
    """Of the sample: over the number of models less one."""
    lowest: float
    """The smallest z-score."""
    highest: float

    @property
    def ends(self) -> tuple[float, float]:
        """The smallest z-score scores 25, the largest 75; the line between is continued to 0 and 100."""
        beyond = (self.highest - self.lowest) / 2
        worst, best = self.lowest - beyond, self.highest + beyond
        return self.mean + self.deviation * worst, self.mean + self.deviation * best


def z_line(models: Sequence[float]) -> ZLine:
    """The line through the mean values of models.

    >>> [round(end, 6) for end in z_line([1.0, 2.0, 3.0]).ends]
    [0.0, 4.0]
    """
    values = np.asarray(models, np.float64)
    if len(values) < 2 or np.ptp(values) == 0:
        raise WorldGaugeError(f"{len(values)} models without a difference give no scale", "give runs of two or more")
    deviation = float(values.std(ddof=1))
    scores = (values - values.mean()) / deviation
    return ZLine(float(values.mean()), deviation, float(scores.min()), float(scores.max()))
