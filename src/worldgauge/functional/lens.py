"""`Lens`: the intrinsics of one clip."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.cameras import CameraPath

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Lens:
    """Square pixels, no distortion, principal point in the middle of the frame unless the case says otherwise."""

    focal: float
    """Px."""
    centre: tuple[float, float]
    """Px, pixel centres at +0.5."""
    size: tuple[int, int]
    """Width and height, px."""

    @property
    def tolerance(self) -> float:
        """How far a correct match may lie from its prediction, px: grows slowly with the size of the frame."""
        return max(1.0, max(self.size) / 480)

    def scaled(self, factor: float, size: tuple[int, int]) -> Lens:
        """The same lens for frames resized by `factor` to `size`."""
        return Lens(self.focal * factor, (self.centre[0] * factor, self.centre[1] * factor), size)

    def matrix(self) -> Floats:
        """(3, 3) intrinsics."""
        return np.array([[self.focal, 0, self.centre[0]], [0, self.focal, self.centre[1]], [0, 0, 1.0]])


def lens_of(camera: CameraPath, size: tuple[int, int]) -> Lens | None:
    """The lens of a camera file for frames of `size`; None where the file has no intrinsics.

    One lens for the whole clip: of intrinsics that change, the first are taken. Intrinsics without a size are taken to
    be for frames twice as wide as their principal point.
    """
    if camera.intrinsics is None:
        return None
    matrix = camera.intrinsics[0]
    width = camera.size[0] if camera.size else 2 * matrix[0, 2]
    factor = size[0] / width
    return Lens(float(matrix[0, 0]), (float(matrix[0, 2]), float(matrix[1, 2])), size).scaled(factor, size)
