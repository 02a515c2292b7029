"""VGG19 style features as an instrument (Gatys et al., 2016)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.vgg_style import style_image
from worldgauge.instruments.neural.loaded import NeuralInstrument
from worldgauge.instruments.neural.preparing import Frames, height_and_width
from worldgauge.instruments.neural.read_state import read_state
from worldgauge.instruments.working_size import refuse_strip

if TYPE_CHECKING:
    from worldgauge.instruments.neural.networks.vgg_gram import StyleFeatures

WEIGHTS = "vgg19"
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Vgg19Gram(NeuralInstrument):
    """The first five convolutions of VGG19, before they are rectified, and their Gram matrices."""

    seat: ClassVar[str] = "style_features"
    name: ClassVar[str] = "vgg19"
    memory: ClassVar[float] = 4.0
    rate: ClassVar[float | None] = 176.0
    fast: ClassVar[dict[str, Any]] = {"tf32": "on"}

    shorter: int = 512
    """Px to which a frame's shorter side is brought, by Pillow's bilinear filter."""

    @property
    def weights(self) -> tuple[str, ...]:
        return (WEIGHTS,)

    def working_size(self, width: int, height: int) -> tuple[int, int]:
        refuse_strip(width, height)
        return int(self.shorter * max(1, width / height)), int(self.shorter * max(1, height / width))

    def build(self, device: str) -> StyleFeatures:
        from worldgauge.instruments.neural.networks import vgg_gram
        from worldgauge.instruments.neural.networks.filled import filled

        state = read_state(self.weight_files()[WEIGHTS])
        network = filled(vgg_gram.build, state, "VGG19", vgg_gram.rename)
        return vgg_gram.StyleFeatures(network, device, self.dtype, self.batch, self.tf32)

    def grams(self, frames: Frames) -> tuple[Floats, ...]:
        """RGB frames (N, H, W, 3) to one stack of matrices (N, C, C) per convolution."""
        prepared = self._prepared(frames)
        found: tuple[Floats, ...] = self.network.grams(prepared)
        return found

    def _prepared(self, frames: Frames) -> Floats:
        refuse_strip(*height_and_width(frames)[::-1])
        return np.stack([style_image(frame, "RGB", self.shorter) for frame in frames])
