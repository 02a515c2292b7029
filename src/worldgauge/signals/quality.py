"""Picture quality of each frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.clip import Clip
from worldgauge.core.signal import Arrays, signal
from worldgauge.core.stacks import InStacks, in_stacks


class QualityInstrument(InStacks, Protocol):
    """What the seat `quality` offers."""

    def figures(self, frames: NDArray[np.uint8]) -> Mapping[str, NDArray[np.float64]]:
        """Named figures (N,) of RGB frames (N, H, W, 3), always the same names, `overall` in [0, 1] among them."""


@signal(version=1, reads=("video",), seat="quality", cost=0.05)
def frame_quality(clip: Clip, quality: QualityInstrument) -> Arrays:
    """Figures of picture quality, one per frame in each array; `overall` in [0, 1], higher is better."""
    rows = in_stacks(quality, quality.figures, clip.frames())
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}
