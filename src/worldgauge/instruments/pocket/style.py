"""Style statistics without weights: Gram matrices of a fixed filter bank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored
from worldgauge.core.instrument import Instrument
from worldgauge.functional.style import SMALLEST_SIDE, filter_bank, gram
from worldgauge.instruments.working_size import by_short_side


@dataclass(frozen=True)
class FilterBankStyle(Instrument):
    """Gram matrices of colours, edges and strokes at four scales; knows nothing of content."""

    seat: ClassVar[str] = "style"
    name: ClassVar[str] = "filter_bank"

    short_side: int = 180
    """Frames are shrunk to this height or width, whichever is shorter; smaller ones are left as they are."""

    def working_size(self, width: int, height: int) -> tuple[int, int]:
        if min(width, height) <= self.short_side:
            return width, height
        return by_short_side(width, height, self.short_side)

    def grams(self, frames: NDArray[np.uint8]) -> tuple[NDArray[np.float32], ...]:
        """Matrices (N, C, C) of RGB frames (N, H, W, 3), one stack per layer."""
        return tuple(np.stack(layer) for layer in zip(*map(self._grams, frames), strict=True))

    def _grams(self, image: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        import cv2

        height, width = image.shape[:2]
        if min(height, width) < SMALLEST_SIDE:
            raise Unscored(f"frames of {width}x{height} are too small for style")
        size = self.working_size(width, height)
        if size != (width, height):
            image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
        return [gram(responses) for responses in filter_bank(image)]
