"""Predicting a frame from its neighbours by following optical flow half way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.instrument import Instrument
from worldgauge.functional.flow import occluded, warp
from worldgauge.instruments.pocket.flow import DisFlow, Preset

Image = NDArray[np.uint8]


@dataclass(frozen=True)
class FlowInterpolation(Instrument):
    """Both neighbours fetched along half of the flow between them and mixed; exact for steady shifts, not for turns.

    The flow at a pixel of the frame in between is taken from the same pixel of either neighbour, which is right where
    motion varies slowly. Pixels seen in only one neighbour are taken from that one.
    """

    seat: ClassVar[str] = "interpolation"
    name: ClassVar[str] = "flow_midpoint"
    version: ClassVar[int] = 2

    preset: Preset = "medium"

    def between(self, befores: Image, afters: Image) -> Image:
        """The RGB frames halfway between each two, (N, H, W, 3)."""
        return np.stack([self.frame_between(*pair) for pair in zip(befores, afters, strict=True)])

    def frame_between(self, before: Image, after: Image) -> Image:
        """For two RGB frames (H, W, 3)."""
        flow = DisFlow(preset=self.preset)
        forward, backward = flow.flow(before, after), flow.flow(after, before)
        # Seen from the middle, the frame before lies half of the way back and the frame after half of the way on.
        from_before, in_before = warp(before, 0.5 * backward, cubic=True)
        from_after, in_after = warp(after, 0.5 * forward, cubic=True)
        # Where the frame after shows what the one before does not, the way back leads elsewhere; and vice versa.
        weight_before = (in_before & ~occluded(backward, forward)).astype(np.float32) + 1e-3
        weight_after = (in_after & ~occluded(forward, backward)).astype(np.float32) + 1e-3
        total = (weight_before + weight_after)[..., None]
        mixed = (weight_before[..., None] * from_before + weight_after[..., None] * from_after) / total
        return np.asarray(np.clip(np.rint(mixed), 0, 255), np.uint8)
