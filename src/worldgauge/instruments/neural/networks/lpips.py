"""LPIPS 0.1 (Zhang et al., 2018): how different two pictures look to the layers of a trained classifier.

The trunk's parameters are named as in torchvision's classifier file, the heads' as in the authors' file.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from worldgauge.instruments.neural.networks.on_device import Tf32
from worldgauge.instruments.neural.networks.stacked import Stacked, constant
from worldgauge.instruments.neural.networks.trunks import VGG16, Trunk, alexnet, vgg, without_rest

Backbone = Literal["alex", "vgg"]
Normalisation = Literal["lpips", "torchmetrics"]

TAPS: dict[Backbone, tuple[int, ...]] = {"alex": (1, 4, 7, 9, 11), "vgg": (3, 8, 15, 22, 29)}
"""The ReLU after each of AlexNet's convolutions; in VGG16 the last one before each halving, and the last."""
CHANNELS: dict[Backbone, tuple[int, ...]] = {"alex": (64, 192, 384, 256, 256), "vgg": (64, 128, 256, 512, 512)}
SHIFT = (-0.030, -0.088, -0.188)
SCALE = (0.458, 0.448, 0.450)

rename = without_rest(max(TAPS["vgg"]))


class Lpips(Trunk):
    """Distances of stacks of picture pairs."""

    def __init__(self, backbone: Backbone) -> None:
        super().__init__(alexnet() if backbone == "alex" else vgg(VGG16), TAPS[backbone])
        for index, channels in enumerate(CHANNELS[backbone]):
            self.add_module(f"lin{index}", _Head(channels))

    def distances(self, first: Tensor, second: Tensor, normalisation: Normalisation = "lpips") -> Tensor:
        """One number per pair of pictures (N, 3, H, W); the network was trained on RGB in [-1, 1]."""
        return self.layer_distances(first, second, normalisation).sum(1)

    def layer_distances(self, first: Tensor, second: Tensor, normalisation: Normalisation = "lpips") -> Tensor:
        """The share of each layer (N, 5)."""
        shift, scale = (constant(first, part) for part in (SHIFT, SCALE))
        ours, theirs = (self.outputs((images - shift) / scale) for images in (first, second))
        shares = []
        for index, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            head = self.get_submodule(f"lin{index}")
            difference = (unit(a.float(), normalisation) - unit(b.float(), normalisation)).square()
            shares.append(head(difference.to(first.dtype)).float().mean((1, 2, 3)))
        return torch.stack(shares, 1)


def unit(features: Tensor, normalisation: Normalisation) -> Tensor:
    """Features (N, C, h, w) divided by their length over channels, kept from zero as either package does it."""
    squares = features.square().sum(1, keepdim=True)
    if normalisation == "lpips":
        return features / (squares.sqrt() + 1e-10)
    return features / (squares + 1e-8).sqrt()


def build(backbone: Backbone = "alex") -> Lpips:
    """The network, its parameters not trained."""
    return Lpips(backbone)


class _Head(nn.Module):
    """Weights of a layer's channels; number 1 in the file because a dropout stood before it."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.model = nn.Sequential(nn.Identity(), nn.Conv2d(channels, 1, 1, bias=False))

    def forward(self, difference: Tensor) -> Tensor:
        return self.model(difference)


class PictureDistances(Stacked):
    """LPIPS on a device: stacks of frames in, a number per pair out."""

    def __init__(
        self,
        module: Lpips,
        value_range: Literal["signed", "unit"] = "signed",
        order: Literal["rgb", "bgr"] = "rgb",
        normalisation: Normalisation = "lpips",
        device: str = "cpu",
        dtype: str = "float32",
        batch: int = 8,
        tf32: Tf32 = "default",
    ) -> None:
        super().__init__(module, device, dtype, batch, tf32)
        self.value_range = value_range
        self.order = order
        self.normalisation = normalisation

    def distances(self, images: NDArray[np.uint8], references: NDArray[np.uint8]) -> NDArray[np.float32]:
        """RGB frames (N, H, W, 3), each with one of its size, to (N,)."""
        return self.run(self._distances, images, references)

    def _distances(self, images: Tensor, references: Tensor) -> Tensor:
        first, second = (self._prepared(frames).to(self.dtype) for frames in (images, references))
        found: Tensor = self.module.distances(first, second, self.normalisation)
        return found

    def _prepared(self, frames: Tensor) -> Tensor:
        values = frames.permute(0, 3, 1, 2).float()
        if self.order == "bgr":
            values = values.flip(1)
        return values / 127.5 - 1 if self.value_range == "signed" else values / 255
