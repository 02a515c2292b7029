"""Style of a picture: Gram matrices of VGG19's first five convolutions (Gatys et al., 2016)."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from worldgauge.instruments.neural.networks.stacked import Stacked
from worldgauge.instruments.neural.networks.trunks import VGG19_START, Trunk, vgg, without_rest

TAPS = (0, 2, 5, 7, 10)
"""The convolutions themselves, before they are rectified."""

CHANNELS = (64, 64, 128, 128, 256)

rename = without_rest(max(TAPS))


class VggGram(Trunk):
    """Feature maps and Gram matrices of stacks of normalised pictures (N, 3, H, W)."""

    def __init__(self) -> None:
        super().__init__(vgg(VGG19_START), TAPS)

    def gram_features(self, images: Tensor) -> tuple[Tensor, ...]:
        """One matrix (N, C, C) per convolution."""
        return tuple(gram(features.float()) for features in self.outputs(images))


def gram(features: Tensor) -> Tensor:
    """Inner products of the channels of (N, C, h, w), divided by the number of values: (N, C, C)."""
    flat = features.flatten(2)
    return flat @ flat.transpose(1, 2) / (flat.shape[1] * flat.shape[2])


def build() -> VggGram:
    """The network, its parameters not trained."""
    return VggGram()


class StyleFeatures(Stacked):
    """VGG19's first convolutions on a device: stacks of normalised pictures in, matrices out."""

    def grams(self, images: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
        """Pictures (N, 3, H, W) to one stack (N, C, C) per convolution."""
        joined = self.run(self._joined, images)
        sizes = [channels**2 for channels in CHANNELS]
        parts = np.split(joined.reshape(len(images), sum(sizes)), np.cumsum(sizes)[:-1], axis=1)
        return tuple(part.reshape(-1, channels, channels) for part, channels in zip(parts, CHANNELS, strict=True))

    def _joined(self, images: Tensor) -> Tensor:
        return torch.cat([part.flatten(1) for part in self.module.gram_features(images.to(self.dtype))], 1)
