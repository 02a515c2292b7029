"""Roll, pitch and field of view of a single picture, without weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.instrument import Instrument
from worldgauge.functional.perspective import Perspective, perspective, straight_lines
from worldgauge.functional.quality import grey_of


@dataclass(frozen=True)
class VanishingPoints(Instrument):
    """Where the straight edges of upright boxes meet: buildings, rooms, furniture; nothing to say of a meadow."""

    seat: ClassVar[str] = "perspective"
    name: ClassVar[str] = "vanishing_points"

    long_side: int = 640
    """Px; larger pictures are made smaller first."""

    def views(self, frames: NDArray[np.uint8]) -> list[Perspective]:
        """Of RGB frames (N, H, W, 3)."""
        return [self.view(frame) for frame in frames]

    def view(self, image: NDArray[np.uint8]) -> Perspective:
        """Of one RGB frame (H, W, 3)."""
        import cv2

        grey = grey_of(image)
        factor = self.long_side / max(grey.shape)
        if factor < 1:
            grey = np.asarray(cv2.resize(grey, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.float32)
        return perspective(straight_lines(np.rint(grey).astype(np.uint8)))
