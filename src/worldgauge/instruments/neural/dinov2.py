"""DINOv2 as an instrument: unit vectors of patches that mean the same where the same thing is seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError
from worldgauge.instruments.neural.loaded import NeuralInstrument
from worldgauge.instruments.neural.preparing import PATCH, Frames, squares
from worldgauge.instruments.neural.read_state import read_state

NETWORK = "dinov2_b14"


@dataclass(frozen=True)
class Dinov2B14(NeuralInstrument):
    """DINOv2 ViT-B/14 on a centre crop: a unit vector for each patch of 14 px and one for the whole."""

    seat: ClassVar[str] = "embedding"
    name: ClassVar[str] = "dinov2_b14"
    memory: ClassVar[float] = 0.8
    rate: ClassVar[float | None] = 627.0

    short_side: int = 256
    """The frame's shorter side is brought to this by Pillow's bicubic filter, px."""
    crop: int = 224
    """Side of the centre crop the network sees, px; a multiple of 14."""
    positions: Literal["hub", "transformers"] = "hub"
    """How the network's table of positions, made for 518 px, is resized: as the authors' code does it, whose scale is
    slightly off, or exactly, as transformers does. Equal at 518 px."""

    @property
    def weights(self) -> tuple[str, ...]:
        return (NETWORK,)

    def working_size(self, width: int, height: int) -> tuple[int, int]:
        return self.crop, self.crop

    def build(self, device: str) -> Any:
        from worldgauge.instruments.neural.networks.dinov2 import Dinov2Encoder, dinov2_from

        if self.crop % PATCH or not PATCH <= self.crop <= self.short_side:
            raise WorldGaugeError(
                f"dinov2_b14: crop={self.crop} of a shorter side of {self.short_side} px",
                f"the crop is a multiple of {PATCH} px, not larger than the shorter side",
            )
        module = dinov2_from(read_state(self.weight_files()[NETWORK]))
        return Dinov2Encoder(module, self.positions, device, self.dtype, self.batch, self.tf32)

    def embeddings(self, frames: Frames) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """RGB frames (N, H, W, 3) to unit vectors of patches, (N, h, w, D), and of frames, (N, D)."""
        found: tuple[NDArray[np.float32], NDArray[np.float32]] = self.network.vectors(
            squares(frames, self.short_side, self.crop)
        )
        return found
