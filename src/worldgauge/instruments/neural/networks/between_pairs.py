"""VFIMamba on a device: stacks of frame pairs in, the frames between them out."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from worldgauge.instruments.neural.networks.stacked import Stacked, in_unit_range
from worldgauge.instruments.neural.networks.vfimamba import STRIDE

Frames = NDArray[np.uint8]


class BetweenPairs(Stacked):
    """Pairs go through `batch` at a time, each together with its half turn where `turned` says so."""

    def __init__(
        self, module: nn.Module, turned: bool, device: str = "cpu", dtype: str = "float32", batch: int = 8
    ) -> None:
        super().__init__(module, device, dtype, batch)
        self.turned = turned

    def between(self, befores: Frames, afters: Frames) -> Frames:
        """RGB frames (N, H, W, 3), cut to whole levels as the authors' code does it."""
        found = self.run(self.levels, befores, afters)
        return np.zeros_like(befores) if not len(befores) else np.asarray(found, np.uint8)

    def levels(self, befores: Tensor, afters: Tensor) -> Tensor:
        """Frames as bytes to the ones between, in whole levels of 0 to 255."""
        height, width = befores.shape[1:3]
        around = margins(height, width)
        left, _, top, _ = around
        # Blue first: the authors read their pictures with OpenCV.
        first, second = (
            functional.pad(in_unit_range(frames).flip(1), around, mode="replicate").to(self.dtype)
            for frames in (befores, afters)
        )
        if self.turned:
            first, second = (torch.cat((x, x.flip(2, 3))) for x in (first, second))
        found: Tensor = self.module(first, second)
        if self.turned:
            plain, turned = found.chunk(2)
            found = (plain + turned.flip(2, 3)) / 2
        found = found[..., top : top + height, left : left + width]
        return (found.float() * 255).floor().flip(1).permute(0, 2, 3, 1)


def margins(height: int, width: int) -> tuple[int, int, int, int]:
    """Left, right, top, bottom: split on both sides, the odd pixel right and below."""
    across, down = -width % STRIDE, -height % STRIDE
    return across // 2, across - across // 2, down // 2, down - down // 2
