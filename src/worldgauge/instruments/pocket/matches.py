"""Point matches between any two frames: SIFT, nearest in both directions, and corner tracks where frames are close."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.instrument import Instrument
from worldgauge.instruments.pocket.corner_tracks import Grey, new_corners, step
from worldgauge.instruments.pocket.remembered import Remembered, digest_of

Floats = NDArray[np.float64]

LEAST_SIDE = 32
"""Px; smaller frames have no room for features."""


@dataclass(frozen=True, eq=False)
class Features:
    """Described points of one frame."""

    grey: Grey
    pixel: Floats
    """(K, 2), pixel centres at +0.5."""
    descriptor: NDArray[np.float32]
    """(K, 128) unit vectors."""


_SEEN = Remembered[Features](64)
"""Enough for the keyframes of a clip and the frames of its reference that it is held against."""


@dataclass(frozen=True)
class SiftMatches(Instrument):
    """Correspondences that hold forwards and backwards; none is removed for disagreeing with a camera motion."""

    seat: ClassVar[str] = "matches"
    name: ClassVar[str] = "sift"

    most: int = 600
    """Features per frame."""
    ratio: float = 0.85
    """The second-best candidate must be at least this much worse (Lowe's test)."""

    def features(self, frames: Sequence[NDArray[np.uint8]] | NDArray[np.uint8]) -> list[Features]:
        """Described points of each RGB frame (H, W, 3)."""
        return [self.features_of(frame) for frame in frames]

    def match(self, firsts: Sequence[Features], seconds: Sequence[Features]) -> list[tuple[Floats, Floats]]:
        """Matched pixels (K, 2) of frames two by two, however far apart they are."""
        return [self.match_of(first, second) for first, second in zip(firsts, seconds, strict=True)]

    def between(self, firsts: Sequence[Features], seconds: Sequence[Features]) -> list[tuple[Floats, Floats]]:
        """As `match`; close frames, where following corners finds more, get those instead."""
        return [self.between_of(first, second) for first, second in zip(firsts, seconds, strict=True)]

    def features_of(self, image: NDArray[np.uint8]) -> Features:
        """SIFT of an RGB (H, W, 3) or grey (H, W) frame, with square-rooted descriptors (Arandjelovic 2012)."""
        grey = as_grey(image)
        return _SEEN.of((self.most, digest_of([grey])), lambda: self._described(grey))

    def _described(self, grey: Grey) -> Features:
        points: Sequence[Any] = ()
        raw = None
        if min(grey.shape) >= LEAST_SIDE:
            points, raw = _sift(self.most).detectAndCompute(grey, None)
        if raw is None or not len(points):
            return Features(grey, np.zeros((0, 2)), np.zeros((0, 128), np.float32))
        # OpenCV counts pixel centres from 0; one place can appear twice with different orientations.
        pixel = np.array([p.pt for p in points]) + 0.5
        kept = np.unique(np.round(pixel * 4).astype(np.int64), axis=0, return_index=True)[1]
        unit = np.sqrt(raw / np.maximum(raw.sum(axis=1, keepdims=True), 1e-6)).astype(np.float32)
        return Features(grey, pixel[kept], unit[kept])

    def match_of(self, first: Features, second: Features) -> tuple[Floats, Floats]:
        """Matched pixels (K, 2) of two frames."""
        if len(first.pixel) < 2 or len(second.pixel) < 2:
            return np.zeros((0, 2)), np.zeros((0, 2))
        likeness = first.descriptor @ second.descriptor.T
        forward, backward = likeness.argmax(axis=1), likeness.argmax(axis=0)
        index = np.arange(len(forward))
        best = likeness[index, forward]
        likeness[index, forward] = -1.0
        second_best = likeness.max(axis=1)
        # Distances of unit vectors: |a - b|^2 = 2 - 2 a.b
        distinct = np.maximum(2 - 2 * best, 0) < self.ratio**2 * np.maximum(2 - 2 * second_best, 0)
        kept = (backward[forward] == index) & distinct
        return first.pixel[kept], second.pixel[forward[kept]]

    def between_of(self, first: Features, second: Features) -> tuple[Floats, Floats]:
        """The same, by whichever way finds more."""
        far = self.match_of(first, second)
        if first.grey.shape != second.grey.shape:
            return far
        near = _follow(first.grey, second.grey, self.most)
        return near if len(near[0]) > len(far[0]) else far


def as_grey(image: NDArray[np.uint8]) -> Grey:
    """(H, W) from an RGB or grey frame."""
    import cv2

    return image if image.ndim == 2 else np.asarray(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), np.uint8)


def _follow(first: Grey, second: Grey, most: int) -> tuple[Floats, Floats]:
    corners = new_corners(first, np.zeros((0, 2), np.float32), most)
    moved, kept = step(first, second, corners, corners)
    return corners[kept].astype(np.float64) + 0.5, moved[kept].astype(np.float64) + 0.5


def _sift(most: int) -> Any:
    import cv2

    return cv2.SIFT_create(nfeatures=most, contrastThreshold=0.02)
