"""What the recurrent flow networks share: all-pairs correlation, its lookup, and convex upsampling."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

LEVELS = 4
RADIUS = 4
CHANNELS = LEVELS * (2 * RADIUS + 1) ** 2
STRIDE = 8
"""Px of a frame per px of its features."""


class Correlation:
    """Likeness of every pixel of one feature map to every pixel of another, at four resolutions.

    Each volume has a border of zeros, so that a window reaching out of the map reads zeros without a mask.
    """

    def __init__(self, first: Tensor, second: Tensor, radius: int = RADIUS, divisor: float | None = None) -> None:
        """Both (N, C, h, w). Pooling the second map gives the same as pooling the volume, for less memory traffic.

        Products are divided by `divisor`, the square root of C unless it is given.
        """
        queries = first.flatten(2).transpose(1, 2) / (divisor or math.sqrt(first.shape[1]))
        self.radius = radius
        self.sizes: list[tuple[int, int]] = []
        self.volumes: list[Tensor] = []
        for level in range(LEVELS):
            if level:
                second = functional.avg_pool2d(second, 2)
            bordered = functional.pad(second, (1, 1, 1, 1))
            self.sizes.append((bordered.shape[2], bordered.shape[3]))
            self.volumes.append(queries @ bordered.flatten(2))

    def lookup(self, positions: Tensor) -> Tensor:
        """Windows around positions (N, 2, h, w) in px of the second map, one per level: with a radius of 4 windows of
        9x9, (N, 324, h, w).

        The first of a window's two axes moves in x, as in the trained networks. All its points share the fraction
        of a pixel, so 10x10 whole pixels are read once and blended, instead of four for each of 81 points.
        """
        height, width = positions.shape[-2:]
        centres = positions.flatten(2).transpose(1, 2)
        side = 2 * self.radius + 2
        steps = torch.arange(-self.radius, self.radius + 2, device=positions.device)
        windows = []
        for level, (volume, (rows, columns)) in enumerate(zip(self.volumes, self.sizes, strict=True)):
            place = centres / 2**level
            whole = place.floor()
            part = (place - whole)[..., None, None]
            # Cut to the border of zeros; one more for the border itself.
            taps = whole.long()[..., None] + (steps + 1)
            x, y = taps[..., 0, :].clamp(0, columns - 1), taps[..., 1, :].clamp(0, rows - 1)
            index = (y[..., None, :] * columns + x[..., :, None]).flatten(2)
            window = volume.gather(2, index).unflatten(2, (side, side))
            window = torch.lerp(window[..., :-1, :].float(), window[..., 1:, :].float(), part[..., 0, :, :])
            window = torch.lerp(window[..., :-1], window[..., 1:], part[..., 1, :, :])
            windows.append(window.flatten(2))
        return torch.cat(windows, 2).transpose(1, 2).unflatten(2, (height, width)).contiguous()


def pixel_grid(like: Tensor) -> Tensor:
    """Column and row of every pixel of a map (N, C, h, w): (1, 2, h, w)."""
    height, width = like.shape[-2:]
    rows, columns = torch.meshgrid(
        torch.arange(height, device=like.device), torch.arange(width, device=like.device), indexing="ij"
    )
    return torch.stack((columns, rows)).float()[None]


def convex_upsample(flow: Tensor, weights: Tensor) -> Tensor:
    """A field (N, C, h, w) in px of its own, eight times as fine: each new pixel a weighted mean of 3x3 old ones.

    `weights` are (N, 9 x 8 x 8, h, w) before their softmax over the nine.
    """
    count, channels, height, width = flow.shape
    shares = weights.view(count, 1, 9, STRIDE, STRIDE, height, width).softmax(2)
    patches = functional.unfold(STRIDE * flow, 3, padding=1).view(count, channels, 9, 1, 1, height, width)
    fine = (shares * patches).sum(2)
    return fine.permute(0, 1, 4, 2, 5, 3).reshape(count, channels, STRIDE * height, STRIDE * width)
