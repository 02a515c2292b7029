"""VFIMamba as an instrument: the frame halfway between two (Zhang et al., 2024)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.instruments.neural.loaded import NeuralInstrument
from worldgauge.instruments.neural.read_state import read_state

if TYPE_CHECKING:
    from worldgauge.instruments.neural.networks.between_pairs import BetweenPairs

Frames = NDArray[np.uint8]
WEIGHTS = "vfimamba"


@dataclass(frozen=True)
class VfiMambaInstrument(NeuralInstrument):
    """The frame halfway between two by VFIMamba, on frames of their own size."""

    seat: ClassVar[str] = "interpolation"
    name: ClassVar[str] = "vfimamba"
    memory: ClassVar[float] = 6.0

    batch: int = 2
    """Pairs the network is given at a time; twice as many with their half turns."""
    half_turn: bool = True
    """Whether the frame is the mean of what is found for the pictures and for their half turns."""

    @property
    def weights(self) -> tuple[str, ...]:
        return (WEIGHTS,)

    def build(self, device: str) -> BetweenPairs:
        from worldgauge.instruments.neural.networks.between_pairs import BetweenPairs
        from worldgauge.instruments.neural.networks.vfimamba import vfimamba_from

        network = vfimamba_from(read_state(self.weight_files()[WEIGHTS]))
        return BetweenPairs(network, self.half_turn, device, self.dtype, self.batch)

    def between(self, befores: Frames, afters: Frames) -> Frames:
        """The RGB frames halfway between each two, (N, H, W, 3), cut to whole levels."""
        found: Frames = self.network.between(befores, afters)
        return found
