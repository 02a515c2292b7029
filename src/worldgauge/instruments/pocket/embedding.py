"""Patch embeddings without weights: colour and edge statistics on a grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.instrument import Instrument
from worldgauge.functional.embedding import describe_patches, pool
from worldgauge.instruments.working_size import by_short_side


@dataclass(frozen=True)
class PatchStatistics(Instrument):
    """Local descriptors of colour and edge direction; no semantics, no invariance to view beyond small shifts."""

    seat: ClassVar[str] = "embedding"
    name: ClassVar[str] = "patch_statistics"

    patch: int = 8
    """Side of a patch, px of the resized frame."""
    short_side: int = 192
    """Frames are resized to this height or width, whichever is shorter."""

    def working_size(self, width: int, height: int) -> tuple[int, int]:
        return by_short_side(width, height, self.short_side, self.patch)

    def embeddings(self, frames: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Unit vectors (N, h, w, d) of the patches of RGB frames (N, H, W, 3), and (N, d) of the whole frames."""
        grids, wholes = zip(*(self.embed(frame) for frame in frames), strict=True)
        return np.stack(grids), np.stack(wholes)

    def embed(self, image: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Unit vectors (h, w, d) of the patches of one RGB frame (H, W, 3), and one (d,) for the whole frame."""
        import cv2

        height, width = image.shape[:2]
        size = self.working_size(width, height)
        flag = cv2.INTER_AREA if self.short_side < min(height, width) else cv2.INTER_LINEAR
        grid = describe_patches(np.asarray(cv2.resize(image, size, interpolation=flag), np.uint8), self.patch)
        return grid, pool(grid)

    def patches(self, image: NDArray[np.uint8]) -> NDArray[np.float32]:
        """The vectors of the patches in reading order, (h * w, d)."""
        grid, _ = self.embed(image)
        return grid.reshape(-1, grid.shape[-1])
