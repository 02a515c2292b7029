"""Style features without trained weights: the first convolutions of VGG19 with random, fixed filters.

Gram matrices of random filters tell textures apart (Ustyuzhaninov et al., 2016), though their size is not that of the
trained network's: scores are comparable among themselves only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.instrument import Instrument
from worldgauge.functional.vgg_style import CHANNELS, Layer, gram_matrix, style_features, style_image
from worldgauge.instruments.working_size import by_short_side, refuse_strip


@dataclass(frozen=True)
class RandomStyle(Instrument):
    """Five convolutions with filters drawn from a fixed seed, on frames whose shorter side is resized."""

    seat: ClassVar[str] = "style_features"
    name: ClassVar[str] = "random_style"

    seed: int = 0
    shorter: int = 64
    """Px."""

    def working_size(self, width: int, height: int) -> tuple[int, int]:
        return by_short_side(width, height, self.shorter)

    def grams(self, frames: NDArray[np.uint8]) -> tuple[NDArray[np.float64], ...]:
        """Gram matrices (N, C, C) of RGB frames (N, H, W, 3), one stack per convolution."""
        of_frames = [[gram_matrix(layer) for layer in self.features(frame)] for frame in frames]
        return tuple(np.stack(layer) for layer in zip(*of_frames, strict=True))

    def features(self, image: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """Feature maps (C, h, w) of an RGB image (H, W, 3), one per convolution."""
        refuse_strip(image.shape[1], image.shape[0])
        return style_features(style_image(image, "RGB", self.shorter), self._layers)

    @cached_property
    def _layers(self) -> list[Layer]:
        return random_layers(self.seed)


def random_layers(seed: int) -> list[Layer]:
    """Filters and biases drawn as networks are initialised (He et al., 2015); the same for one seed everywhere."""
    random = np.random.RandomState(seed)
    layers: list[Layer] = []
    for inputs, outputs in CHANNELS:
        weight = random.standard_normal((outputs, inputs, 3, 3)) * math.sqrt(2 / (inputs * 9))
        bias = random.standard_normal(outputs) * 0.05
        layers.append((weight.astype(np.float32), bias.astype(np.float32)))
    return layers
