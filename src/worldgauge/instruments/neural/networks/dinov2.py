"""DINOv2 (Oquab et al., 2023) on stacks: unit vectors of patches. Parameter names are those of the authors' files."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from worldgauge.instruments.neural.networks.filled import filled
from worldgauge.instruments.neural.networks.layouts import renamed
from worldgauge.instruments.neural.networks.on_device import Tf32
from worldgauge.instruments.neural.networks.stacked import IMAGENET_DEVIATION, IMAGENET_MEAN, Stacked
from worldgauge.instruments.neural.networks.vision_transformer import (
    Positions,
    VisionTransformer,
    transformers_names,
)
from worldgauge.instruments.neural.remembered import Remembered

NAME = "DINOv2"


def dinov2_from(state: Mapping[str, Tensor]) -> VisionTransformer:
    """DINOv2 with the parameters of the authors' file, or of transformers' directory."""
    own = renamed(state, transformers_names() if "embeddings.cls_token" in state else ())
    return filled(lambda: VisionTransformer.like(own, NAME), own, NAME)


class Dinov2Encoder(Stacked):
    """Frames whose sides are multiples of the patch, as they are."""

    module: VisionTransformer

    def __init__(
        self,
        module: VisionTransformer,
        positions: Positions = "hub",
        device: str = "cpu",
        dtype: str = "float32",
        batch: int = 8,
        tf32: Tf32 = "default",
    ) -> None:
        super().__init__(module, device, dtype, batch, tf32)
        self.positions = positions
        self._seen = Remembered()

    def tokens(self, frames: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Frames (N, H, W, 3) to the network's tokens (N, 1 + patches, D), the class token first."""
        return self.run(self._tokens, frames)

    def vectors(self, frames: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Unit vectors of the patches, (N, h, w, D), and of the whole frames, (N, D)."""
        found = self._seen.rows(frames, "unit", lambda new: self.run(self._unit_tokens, new))
        rows, columns = frames.shape[1] // self.module.patch, frames.shape[2] // self.module.patch
        return found[:, 1:].reshape(len(frames), rows, columns, -1), found[:, 0]

    def forget(self) -> None:
        """Drop what was answered for the frames of a case."""
        self._seen.forget()

    def _unit_tokens(self, frames: Tensor) -> Tensor:
        return functional.normalize(self._tokens(frames).float(), dim=-1)

    def _tokens(self, frames: Tensor) -> Tensor:
        out: Tensor = self.module(self.normalised(frames, IMAGENET_MEAN, IMAGENET_DEVIATION), self.positions)
        return out
