"""Optical flow by dense inverse search (Kroeger et al., 2016), as OpenCV ships it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored
from worldgauge.core.instrument import Instrument

Preset = Literal["ultrafast", "fast", "medium"]

SMALLEST_SIDE = 24
"""Px; below it the coarsest level of the pyramid has no room for a patch."""


@dataclass(frozen=True)
class DisFlow(Instrument):
    """DIS optical flow on grey images, with the preset stated."""

    seat: ClassVar[str] = "flow"
    name: ClassVar[str] = "dis"

    preset: Preset = "medium"

    def flow_stacks(
        self, frames: Sequence[NDArray[np.uint8]] | NDArray[np.uint8], pairs: Sequence[tuple[int, int]]
    ) -> Iterator[NDArray[np.float32]]:
        """Fields (1, H, W, 2) of pairs of numbers of frames, in their order."""
        for i, j in pairs:
            yield self.flow(frames[i], frames[j])[None]

    def flow(self, first: NDArray[np.uint8], second: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Displacement (H, W, 2), px, of each pixel of `first` towards `second`; both (H, W, 3) RGB or (H, W) grey."""
        if min(first.shape[:2]) < SMALLEST_SIDE:
            raise Unscored(f"frames of {first.shape[1]}x{first.shape[0]} are too small for optical flow")
        # A fresh estimator for every pair: a reused one would start from the last pair's field.
        return np.asarray(self._estimator().calc(_grey(first), _grey(second), None), np.float32)

    def _estimator(self) -> Any:
        import cv2

        return cv2.DISOpticalFlow_create(getattr(cv2, f"DISOPTICAL_FLOW_PRESET_{self.preset.upper()}"))


def _grey(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    import cv2

    return image if image.ndim == 2 else np.asarray(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), np.uint8)
