"""CLIP on stacks: frames and texts in, features out. Every head that reads CLIP's features shares one of these."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from worldgauge.instruments.neural.networks.clip import Clip
from worldgauge.instruments.neural.networks.on_device import Tf32
from worldgauge.instruments.neural.networks.stacked import CLIP_DEVIATION, CLIP_MEAN, Stacked, in_unit_range
from worldgauge.instruments.neural.preparing import Frames, crop_offset, short_side_size, squares
from worldgauge.instruments.neural.remembered import Remembered

Resize = Literal["pil", "tensor"]


class ClipEncoder(Stacked):
    """CLIP on a device. Features are those of the network, not normalised."""

    module: Clip

    def __init__(
        self, module: Clip, device: str = "cpu", dtype: str = "float32", batch: int = 8, tf32: Tf32 = "default"
    ) -> None:
        super().__init__(module, device, dtype, batch, tf32)
        self.side: int = module.visual.side
        self._seen = Remembered()

    def images(self, frames: Frames, resize: Resize = "pil") -> NDArray[np.float32]:
        """Frames (N, H, W, 3) to features (N, D): shorter side to 224 px, centre crop, network.

        `pil`: resized by Pillow as bytes; `tensor`: as numbers, on the device. A frame of the case at hand goes through
        the network once, whatever the number of heads that ask.
        """
        return self._seen.rows(frames, resize, self._by_pillow if resize == "pil" else self._by_tensor)

    def forget(self) -> None:
        """Drop what was answered for the frames of a case."""
        self._seen.forget()

    def _by_pillow(self, frames: Frames) -> NDArray[np.float32]:
        return self.run(self._features, squares(frames, self.side, self.side))

    def _by_tensor(self, frames: Frames) -> NDArray[np.float32]:
        return self.run(self._resized_features, frames)

    def texts(self, tokens: NDArray[np.int64]) -> NDArray[np.float32]:
        """Token numbers (N, context) to features (N, D)."""
        return self.run(self.module.text_features, tokens)

    def _features(self, squares: Tensor) -> Tensor:
        return self.module.image_features(self.normalised(squares, CLIP_MEAN, CLIP_DEVIATION))

    def _resized_features(self, frames: Tensor) -> Tensor:
        height, width = frames.shape[1:3]
        new_width, new_height = short_side_size(width, height, self.side)
        values = in_unit_range(frames)
        values = functional.interpolate(values, size=(new_height, new_width), mode="bicubic", antialias=True)
        top, left = crop_offset(new_height, self.side), crop_offset(new_width, self.side)
        values = values[:, :, top : top + self.side, left : left + self.side]
        return self._features(values.permute(0, 2, 3, 1))


def unit(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows scaled to length 1."""
    return np.asarray(features / np.linalg.norm(features, axis=-1, keepdims=True), np.float32)
