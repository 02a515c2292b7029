"""VFIMamba (Zhang et al., 2024): the picture halfway between two.

Features of both pictures, flow from the middle to each of them in four steps from coarse to fine, and a U-Net that
mends what the warped pictures miss. Parameter names are those of the authors' checkpoint.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from worldgauge.instruments.neural.networks.filled import filled
from worldgauge.instruments.neural.networks.layouts import count_of, shape_of
from worldgauge.instruments.neural.networks.vfimamba_features import Features, convolved

NAME = "VFIMamba"
STRIDE = 32
"""Sides of a picture have to be multiples of it."""
MIDDLE = 0.5
"""Where the picture lies between the two; part of what the network is told."""


class Motion(NamedTuple):
    """How the picture in between is made of the two."""

    flow: Tensor
    """(N, 4, H, W) px, right and down: to the first picture, to the second."""
    mask: Tensor
    """(N, 1, H, W): the larger, the more of the first; before its sigmoid."""

    def plus(self, other: Motion) -> Motion:
        return Motion(self.flow + other.flow, self.mask + other.mask)


class VfiMamba(nn.Module):
    """Pictures (N, 3, H, W) in [0, 1], blue first, to the ones between them."""

    def __init__(self, width: int, blocks: int) -> None:
        super().__init__()
        self.feature_bone = Features(width, blocks)
        self.block = nn.ModuleList([_Head(16 * width, 16, 4 * width, 7), _Head(8 * width, 8, 4 * width, 18)])
        self.local_block = nn.ModuleList([_Local(4 * width, 2), _Local(4 * width, 1)])
        self.unet = _Mending(2 * width)

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        features = self.feature_bone(torch.cat((first, second)))
        return self.made(first, second, features, self.motions(first, second, features)[-1])

    def motions(self, first: Tensor, second: Tensor, features: list[Tensor]) -> list[Motion]:
        """After each of the four steps: two by features, two by the warped pictures alone."""
        when = torch.full_like(first[:, :1], MIDDLE)
        seen = torch.cat(features[-1].chunk(2), 1)
        found = [self.block[0](seen, torch.cat((first, second, when), 1), None)]
        seen = torch.cat(features[-2].chunk(2), 1)
        beside = (*self.warped(first, second, found[-1]), found[-1].mask)
        found.append(found[-1].plus(self.block[1](seen, torch.cat((first, second, *beside, when), 1), found[-1].flow)))
        for local in self.local_block:
            beside = (*self.warped(first, second, found[-1]), found[-1].mask)
            found.append(found[-1].plus(local(torch.cat((first, second, *beside), 1), found[-1].flow)))
        return found

    def warped(self, first: Tensor, second: Tensor, motion: Motion) -> tuple[Tensor, Tensor]:
        """Both as they look from the middle."""
        return warp(first, motion.flow[:, :2]), warp(second, motion.flow[:, 2:])

    def merged(self, first: Tensor, second: Tensor, motion: Motion) -> Tensor:
        """The two warped pictures mixed."""
        before, after = self.warped(first, second, motion)
        share = torch.sigmoid(motion.mask)
        return before * share + after * (1 - share)

    def made(self, first: Tensor, second: Tensor, features: list[Tensor], motion: Motion) -> Tensor:
        """The mixed pictures, mended; in [0, 1]."""
        seen, flow = [], motion.flow
        for of_both in features:
            one, other = of_both.chunk(2)
            seen.append(torch.cat((warp(one, flow[:, :2]), warp(other, flow[:, 2:])), 1))
            flow = 0.5 * scaled(flow, 0.5)
        pictures = (first, second, *self.warped(first, second, motion), motion.mask, motion.flow)
        missing = 2 * self.unet(torch.cat(pictures, 1), seen) - 1
        return (self.merged(first, second, motion) + missing).clamp(0, 1)


def vfimamba_from(state: Mapping[str, Tensor]) -> VfiMamba:
    """The network out of the authors' file, of the width that the file has: 32, or 16 for VFIMamba-S."""
    own = {name.removeprefix("module."): value for name, value in state.items()}
    # Old files hold the pictures' size and masks of windows beside the parameters.
    own = {name: value for name, value in own.items() if "attn_mask" not in name and "HW" not in name}
    width = shape_of(own, "feature_bone.block0.conv.0.weight", NAME)[0]
    return filled(lambda: VfiMamba(width, count_of(own, "feature_bone.block3.blocks")), own, NAME)


def warp(pictures: Tensor, flow: Tensor) -> Tensor:
    """Pictures read where the flow (N, 2, H, W) leads from each pixel; beyond the edge, the edge."""
    height, width = flow.shape[-2:]
    across, down = (torch.linspace(-1, 1, side, device=flow.device, dtype=flow.dtype) for side in (width, height))
    at = torch.stack((across + flow[:, 0] / ((width - 1) / 2), down[:, None] + flow[:, 1] / ((height - 1) / 2)), -1)
    return functional.grid_sample(pictures, at, padding_mode="border", align_corners=True)


def scaled(x: Tensor, factor: float) -> Tensor:
    """At another size, bilinear."""
    if factor == 1:
        return x
    return functional.interpolate(x, scale_factor=factor, mode="bilinear", align_corners=False)


class _Head(nn.Module):
    """Flow by features, which are a `scale`-th of the picture's size, and the picture at four times theirs."""

    def __init__(self, features: int, scale: int, width: int, beside: int) -> None:
        super().__init__()
        self.coarser = scale // 4
        self.conv = nn.Sequential(
            convolved(2 * features // 16 + beside, width), convolved(width, width), convolved(width, 5)
        )

    def forward(self, features: Tensor, pictures: Tensor, flow: Tensor | None) -> Motion:
        # Twice by two: the channels come in another order than by four at once.
        features = functional.pixel_shuffle(functional.pixel_shuffle(features, 2), 2)
        beside = [scaled(pictures, 1 / self.coarser)]
        if flow is not None:
            beside.append(scaled(flow, 1 / self.coarser) / self.coarser)
        found = scaled(self.conv(torch.cat((features, *beside), 1)), self.coarser)
        return Motion(found[:, :4] * self.coarser, found[:, 4:])


class _Local(nn.Module):
    """Flow mended by what the pictures show once they are warped."""

    def __init__(self, width: int, coarser: int) -> None:
        super().__init__()
        self.coarser = coarser
        self.conv0 = nn.Sequential(convolved(17, width // 2, 2), convolved(width // 2, width, 2))
        self.convblock = nn.Sequential(*(convolved(width, width) for _ in range(8)))
        self.lastconv = nn.ConvTranspose2d(width, 5, 4, 2, 1)

    def forward(self, pictures: Tensor, flow: Tensor) -> Motion:
        flow = scaled(flow, 1 / self.coarser) / self.coarser
        x = self.conv0(torch.cat((scaled(pictures, 1 / self.coarser), flow), 1))
        x = self.lastconv(self.convblock(x) + x)
        found = scaled(x, 2 * self.coarser)
        return Motion(found[:, :4] * 2 * self.coarser, found[:, 4:])


class _Pair(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.conv1, self.conv2 = convolved(inputs, outputs, 2), convolved(outputs, outputs)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.conv2(self.conv1(x))
        return out


class _Mending(nn.Module):
    """A U-Net over pictures, motion and the warped features of every size."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.down0 = _Pair(17 + width, 2 * width)
        self.down1 = _Pair(4 * width, 4 * width)
        self.down2 = _Pair(8 * width, 8 * width)
        self.down3 = _Pair(16 * width, 16 * width)
        self.up0 = _doubled(32 * width, 8 * width)
        self.up1 = _doubled(16 * width, 4 * width)
        self.up2 = _doubled(8 * width, 2 * width)
        self.up3 = _doubled(4 * width, width)
        self.conv = nn.Conv2d(width, 3, 3, 1, 1)

    def forward(self, pictures: Tensor, features: list[Tensor]) -> Tensor:
        half = self.down0(torch.cat((pictures, features[0]), 1))
        quarter = self.down1(torch.cat((half, features[1]), 1))
        eighth = self.down2(torch.cat((quarter, features[2]), 1))
        x = self.down3(torch.cat((eighth, features[3]), 1))
        x = self.up0(torch.cat((x, features[4]), 1))
        x = self.up1(torch.cat((x, eighth), 1))
        x = self.up2(torch.cat((x, quarter), 1))
        x = self.up3(torch.cat((x, half), 1))
        return torch.sigmoid(self.conv(x))


def _doubled(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.ConvTranspose2d(inputs, outputs, 4, 2, 1), nn.PReLU(outputs))
