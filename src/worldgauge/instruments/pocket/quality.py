"""Picture quality without weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.instrument import Instrument
from worldgauge.functional.quality import (
    blockiness,
    colourfulness,
    exposure,
    grey_of,
    noise,
    overall_quality,
    sharpness,
)


@dataclass(frozen=True)
class PictureStatistics(Instrument):
    """Sharpness, noise, blockiness, exposure and colourfulness of a frame; not a judgement of beauty."""

    seat: ClassVar[str] = "quality"
    name: ClassVar[str] = "picture_statistics"

    def figures(self, frames: NDArray[np.uint8]) -> dict[str, NDArray[np.float64]]:
        """Named figures (N,) of RGB frames (N, H, W, 3)."""
        rows = [self.measure(frame) for frame in frames]
        return {name: np.array([row[name] for row in rows], np.float64) for name in rows[0]}

    def measure(self, image: NDArray[np.uint8]) -> dict[str, float]:
        """Of one RGB frame (H, W, 3); `overall` in [0, 1] falls with blur, noise and coarse coding."""
        grey = grey_of(image)
        sharp, grain, blocks = sharpness(grey), noise(grey), blockiness(grey)
        return {
            "sharpness": sharp,
            "noise": grain,
            "blockiness": blocks,
            "exposure": exposure(grey),
            "colourfulness": colourfulness(image),
            "overall": overall_quality(sharp, grain, blocks),
        }
