"""Instruments included by a test, in the seats of networks: brightness is depth, mean colours are patches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from worldgauge.core.instrument import INSTRUMENTS, Instrument

PATCH = 6


@dataclass(frozen=True)
class StubDepth(Instrument):
    """Grey levels of the frame."""

    seat: ClassVar[str] = "image_depth"
    name: ClassVar[str] = "stub_depth"

    def depth(self, image: np.ndarray) -> np.ndarray:
        return image.astype(np.float32).mean(axis=2)


@dataclass(frozen=True)
class StubPatches(Instrument):
    """Mean colour of every patch of six pixels, as a unit vector."""

    seat: ClassVar[str] = "embedding"
    name: ClassVar[str] = "stub_patches"

    def embed(self, image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        height, width = (side // PATCH for side in image.shape[:2])
        blocks = image[: height * PATCH, : width * PATCH].reshape(height, PATCH, width, PATCH, 3)
        colours = blocks.mean(axis=(1, 3)) - 127.0
        grid = (colours / np.linalg.norm(colours, axis=-1, keepdims=True)).astype(np.float32)
        return grid, grid.mean(axis=(0, 1))


for made in (StubDepth, StubPatches):
    INSTRUMENTS.add(made.name, made, f"stub_networks:{made.__name__}")
