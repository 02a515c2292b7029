"""The seat `flow`, served by a network that takes stacks of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored
from worldgauge.instruments.neural.loaded import NeuralInstrument

SMALLEST_SIDE = 121
"""Px at the size the network sees; filled up to 128, its coarsest correlation has two pixels a side. With one the
original lookup divides by zero."""


@dataclass(frozen=True)
class FlowSeat(NeuralInstrument):
    """Base of the flow networks; `build` gives a `FlowPairs`."""

    seat: ClassVar[str] = "flow"

    def working_size(self, width: int, height: int) -> tuple[int, int]:
        if min(width, height) < SMALLEST_SIDE:
            raise Unscored(f"{self.name} would see {width}x{height} px; it needs {SMALLEST_SIDE} px on each side")
        return width, height

    def flow_stacks(
        self, frames: Sequence[NDArray[np.uint8]] | NDArray[np.uint8], pairs: Sequence[tuple[int, int]]
    ) -> Iterator[NDArray[np.float32]]:
        """The same in stacks of at most `batch` fields, so that a long clip need not be held."""
        if pairs:
            self.working_size(frames[0].shape[1], frames[0].shape[0])
            for fields in self.network.stacks(frames, pairs):
                yield np.asarray(fields.cpu().numpy(), np.float32)

    def flows(self, frames: Sequence[NDArray[np.uint8]], pairs: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
        """Displacements (P, H, W, 2) in px for pairs of numbers of RGB frames (N, H, W, 3); each frame encoded once."""
        self.working_size(frames[0].shape[1], frames[0].shape[0])
        found: NDArray[np.float32] = self.network.flows(frames, pairs)
        return found
