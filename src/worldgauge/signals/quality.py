"""Picture quality of each frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.clip import Clip
from worldgauge.core.signal import Arrays, signal


class QualityInstrument(Protocol):
    """What the seat `quality` offers."""

    def measure(self, image: NDArray[np.uint8]) -> Mapping[str, float]:
        """Named figures of one RGB frame (H, W, 3), always the same names, `overall` in [0, 1] among them."""


@signal(version=1, reads=("video",), seat="quality", cost=0.05)
def frame_quality(clip: Clip, quality: QualityInstrument) -> Arrays:
    """Figures of picture quality, one per frame in each array; `overall` in [0, 1], higher is better."""
    rows = [quality.measure(frame) for frame in clip.frames()]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}
