"""A static scene rebuilt from frames: the cameras that saw it, and pictures of it from anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Picture = NDArray[np.float32]
Frames = Sequence[NDArray[np.uint8]] | NDArray[np.uint8]
"""RGB frames (H, W, 3) of one size."""
Masks = Sequence[NDArray[np.bool_]] | NDArray[np.bool_]
"""Of each frame a mask (H, W)."""


@dataclass(frozen=True, eq=False)
class SceneCameras:
    """The cameras of the frames a scene is rebuilt from."""

    world_to_camera: Floats
    """(N, 4, 4) OpenCV axes."""
    intrinsics: Floats
    """(N, 3, 3) px of `size`, pixel centres at +0.5."""
    size: tuple[int, int]
    """Width and height, px."""
    moves: bool = True
    """False where the cameras only turn: nothing tells depth, and pictures need none."""
    is_metric: bool = False
    factor: float | None = None
    """Where they are metric, by what their translations must be divided to be in the units of the scene."""

    @property
    def poses(self) -> Floats:
        """(N, 4, 4) camera-to-world."""
        return np.asarray(np.linalg.inv(self.world_to_camera))

    def scaled(self, longest: int) -> SceneCameras:
        """The same cameras for pictures whose longer side is that long."""
        factor = longest / max(self.size)
        matrix = self.intrinsics.copy()
        matrix[:, :2] *= factor
        size = round(self.size[0] * factor), round(self.size[1] * factor)
        return replace(self, intrinsics=matrix, size=size)

    def in_scene(self, index: int) -> Floats:
        """World-to-camera (4, 4) of one of them in the units of the scene."""
        pose: Floats = self.world_to_camera[index].copy()
        if self.is_metric and self.factor is not None:
            pose[:3, 3] /= self.factor
        return pose


class Scene(Protocol):
    """What a reconstruction gives."""

    @property
    def cameras(self) -> SceneCameras: ...

    def render(
        self, world_to_camera: Floats, intrinsics: Floats, size: tuple[int, int]
    ) -> tuple[Picture, NDArray[np.float32]]:
        """The scene on black from a camera (4, 4) with a lens (3, 3) in px of `size`: colours (H, W, 3), 0 to 1, and
        how much of each pixel is covered (H, W), 0 to 1."""


def completed(depth: NDArray[np.float32], known: NDArray[np.bool_]) -> NDArray[np.float32]:
    """A depth map (H, W) with the gaps filled by the inverse depths around them, wide gaps from farther away.

    >>> completed(np.array([[2.0, 0.0]], np.float32), np.array([[True, False]])).tolist()
    [[2.0, 2.0]]
    """
    import cv2

    if known.all() or not known.any():
        return depth
    levels = [(np.where(known, 1 / np.maximum(depth, 1e-6), 0).astype(np.float32), known.astype(np.float32))]
    while min(levels[-1][1].shape) > 1 and not (levels[-1][1] > 0).all():
        value, weight = levels[-1]
        half = (weight.shape[1] + 1) // 2, (weight.shape[0] + 1) // 2
        levels.append(
            (
                cv2.resize(value * weight, half, interpolation=cv2.INTER_AREA),
                cv2.resize(weight, half, interpolation=cv2.INTER_AREA),
            )
        )
        value, weight = levels[-1]
        levels[-1] = (np.divide(value, weight, out=np.zeros_like(value), where=weight > 0), np.minimum(weight, 1))
    coarse, weight = levels[-1]
    mean = float(coarse[weight > 0].mean())
    coarse = np.where(weight > 0, coarse, mean).astype(np.float32)
    for value, weight in levels[-2::-1]:
        wide = cv2.resize(coarse, weight.shape[::-1], interpolation=cv2.INTER_LINEAR)
        coarse = np.where(weight > 0, value, wide).astype(np.float32)
    return np.asarray(1 / np.maximum(coarse, 1e-6), np.float32)
