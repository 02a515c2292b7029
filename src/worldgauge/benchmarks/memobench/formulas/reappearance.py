"""Object reappearance: how surely a detector finds the target once it should be back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

BANDS = ((0.0005, 0.50), (0.0005, 0.70))
"""Shares of the image a mask may cover; the second band is tried only when the first holds no mask."""

DETECTOR_THRESHOLD = 0.0
"""Score above which MemoBench keeps a detector's answer: nearly every query, so that detection says little."""


@dataclass(frozen=True)
class Reappearance:
    """Object reappearance score and what it is made of."""

    score: float
    """Detection rate times mean confidence."""
    detection_rate: float
    mean_confidence: float
    """Over the frames with a detection."""
    frames: int
    detected: int

    def rounded(self) -> Reappearance:
        """As the released code writes it: four decimals."""
        return Reappearance(
            round(self.score, 4),
            round(self.detection_rate, 4),
            round(self.mean_confidence, 4),
            self.frames,
            self.detected,
        )


def frame_confidence(
    coverages: ArrayLike, scores: ArrayLike, bands: Sequence[tuple[float, float]] = BANDS
) -> float | None:
    """Best score among the masks whose share of the image lies in the first band that holds any; None when none does.

    >>> frame_confidence([0.9, 0.1], [0.97, 0.4]), frame_confidence([0.6], [0.8]), frame_confidence([0.8], [0.9])
    (0.4, 0.8, None)
    """
    coverages, scores = np.asarray(coverages, np.float64), np.asarray(scores, np.float64)
    for low, high in bands:
        inside = (coverages >= low) & (coverages <= high)
        if inside.any():
            return float(scores[inside].max())
    return None


def pooled_confidences(
    found: Mapping[str, NDArray[Any]],
    frames: Iterable[int],
    band: tuple[float, float] = BANDS[0],
    fallback: float = BANDS[1][1],
) -> list[float | None]:
    """Confidence of each frame from the pool of its masks; None also for a frame that was not looked at.

    `found` holds `frames` and `counts` (F,), and `coverages` and `scores` of all masks, frame after frame. Where no
    mask lies in `band`, its upper end is raised once to `fallback`, if that is more.

    >>> pool = {"frames": np.array([4, 5]), "counts": np.array([2, 1])}
    >>> pool |= {"coverages": np.array([0.1, 0.9, 0.6]), "scores": np.array([0.3, 0.8, 0.7])}
    >>> pooled_confidences(pool, range(4, 7)), pooled_confidences(pool, [5], fallback=0.0)
    ([0.3, 0.7, None], [None])
    """
    low, high = band
    bands = ((low, high), (low, fallback)) if fallback > high else ((low, high),)
    ends = np.cumsum(found["counts"])
    pools = {
        int(frame): slice(int(end - count), int(end))
        for frame, count, end in zip(found["frames"], found["counts"], ends, strict=True)
    }
    return [
        frame_confidence(found["coverages"][pools[frame]], found["scores"][pools[frame]], bands)
        if frame in pools
        else None
        for frame in frames
    ]


def reappearance(confidences: Sequence[float | None]) -> Reappearance:
    """Detection rate times mean confidence over the back phase; None is a frame without a detection. No frame scores 0.

    Source: arXiv 2606.27537, Eq. 6.

    >>> reappearance([0.8, None]).score
    0.4
    """
    found = [c for c in confidences if c is not None]
    if not found:
        return Reappearance(0.0, 0.0, 0.0, len(confidences), 0)
    rate, mean = len(found) / len(confidences), float(np.mean(found))
    return Reappearance(rate * mean, rate, mean, len(confidences), len(found))


def absence(confidences: Sequence[float | None]) -> float:
    """Share of the gone phase in which the target was really out of view: one minus its reappearance score.

    >>> absence([None, None]), absence([1.0, 1.0])
    (1.0, 0.0)
    """
    return 1.0 - reappearance(confidences).score


def reappearance_after_absence(gone: Sequence[float | None], back: Sequence[float | None]) -> float:
    """House variant: the score of the back phase, earned only as far as the target had left the view before.

    A frozen camera keeps the target in sight throughout; the official score rewards that, this one gives 0.

    Source: ours.

    >>> reappearance_after_absence([1.0, 1.0], [1.0]), reappearance_after_absence([None], [1.0])
    (0.0, 1.0)
    """
    return absence(gone) * reappearance(back).score
