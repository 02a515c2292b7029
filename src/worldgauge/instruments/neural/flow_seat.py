"""The seat `flow`, served by a network that takes stacks of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored
from worldgauge.instruments.neural.loaded import NeuralInstrument
from worldgauge.instruments.neural.preparing import Frames

Pairs = Sequence[tuple[int, int]]

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

    def flow_stacks(self, frames: Frames, pairs: Pairs) -> Iterator[NDArray[np.float32]]:
        """The same in stacks of at most `batch` fields, so that a long clip need not be held."""
        for fields in self.stacks_in_place(frames, pairs):
            yield np.asarray(fields.cpu().numpy() if hasattr(fields, "cpu") else fields, np.float32)

    def stacks_in_place(self, frames: Frames, pairs: Pairs) -> Iterator[Any]:
        """The same where they were computed: tensors on a GPU, to be reduced there; else arrays."""
        if pairs:
            self.working_size(frames[0].shape[1], frames[0].shape[0])
            for fields in self.network.stacks(frames, pairs):
                yield fields if fields.is_cuda else np.asarray(fields.numpy(), np.float32)

    def flows(self, frames: Frames, pairs: Pairs) -> NDArray[np.float32]:
        """Displacements (P, H, W, 2) in px for pairs of numbers of RGB frames (N, H, W, 3); each frame encoded once."""
        self.working_size(frames[0].shape[1], frames[0].shape[0])
        found: NDArray[np.float32] = self.network.flows(frames, pairs)
        return found
