"""Style of a picture: Gram matrices of VGG19's first five convolutions (Gatys et al., 2016)."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from worldgauge.instruments.neural.networks.trunks import VGG19_START, Trunk, vgg, without_rest
from worldgauge.instruments.neural.stacks import in_stacks

TAPS = (0, 2, 5, 7, 10)
"""The convolutions themselves, before they are rectified."""

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


class StyleFeatures:
    """VGG19's first convolutions on a device: stacks of normalised pictures in, matrices out."""

    def __init__(self, network: VggGram, device: str = "cpu", batch: int = 8) -> None:
        self.network = network.to(device).eval()
        self.device = torch.device(device)
        self.batch = batch

    def grams(self, images: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
        """Pictures (N, 3, H, W) to one stack (N, C, C) per convolution."""

        def call(stack: Any) -> tuple[Tensor, ...]:
            return self.network.gram_features(torch.as_tensor(stack).to(self.device))

        with torch.inference_mode():
            found = in_stacks(call, self.batch, images)
        return tuple(np.asarray(part.cpu().numpy(), np.float32) for part in found or ())

    def maps(self, image: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """Outputs (C, h, w) of the convolutions for one picture (3, H, W)."""
        with torch.inference_mode():
            outputs = self.network.outputs(torch.as_tensor(image)[None].to(self.device))
        return [np.asarray(part[0].cpu().numpy(), np.float32) for part in outputs]
