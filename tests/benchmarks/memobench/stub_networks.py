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

    def depths(self, frames: np.ndarray) -> np.ndarray:
        return frames.astype(np.float32).mean(axis=3)


@dataclass(frozen=True)
class StubPatches(Instrument):
    """Mean colour of every patch of six pixels, as a unit vector."""

    seat: ClassVar[str] = "embedding"
    name: ClassVar[str] = "stub_patches"

    def embeddings(self, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        height, width = (side // PATCH for side in frames.shape[1:3])
        blocks = frames[:, : height * PATCH, : width * PATCH].reshape(len(frames), height, PATCH, width, PATCH, 3)
        colours = blocks.mean(axis=(2, 4)) - 127.0
        grids = (colours / np.linalg.norm(colours, axis=-1, keepdims=True)).astype(np.float32)
        return grids, grids.mean(axis=(1, 2))


for made in (StubDepth, StubPatches):
    INSTRUMENTS.add(made.name, made, f"stub_networks:{made.__name__}")
