"""RAFT-large as an instrument: dense optical flow (Teed and Deng, 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from worldgauge.instruments.neural.flow_seat import FlowSeat
from worldgauge.instruments.neural.read_state import read_state

if TYPE_CHECKING:
    from worldgauge.instruments.neural.networks.flow_pairs import Fitting, FlowPairs

WEIGHTS = "raft_large"


@dataclass(frozen=True)
class RaftLarge(FlowSeat):
    """Flow by RAFT-large with torchvision's weights, on frames of their own size."""

    name: ClassVar[str] = "raft_large"
    version: ClassVar[int] = 2
    memory: ClassVar[float] = 3.0
    rate: ClassVar[float | None] = 112.0

    value_range: Literal["signed", "unit"] = "signed"
    """What a byte becomes: -1 to 1, as the network was trained, or 0 to 1, which it was not made for."""
    padding: Literal["split", "right_bottom"] = "split"
    """Where frames are filled up to multiples of 8 px by repeating their edge: on both sides, or right and below."""
    updates: int = 12

    @property
    def weights(self) -> tuple[str, ...]:
        return (WEIGHTS,)

    def build(self, device: str) -> FlowPairs:
        from worldgauge.instruments.neural.networks import raft
        from worldgauge.instruments.neural.networks.filled import filled
        from worldgauge.instruments.neural.networks.flow_pairs import FlowPairs

        network = filled(raft.build, read_state(self.weight_files()[WEIGHTS]), "RAFT-large", raft.rename)
        numerics = (device, self.dtype, self.batch, self.tf32, self.compiled)
        return FlowPairs(network, self.fitting(), self.updates, *numerics)

    def fitting(self) -> Fitting:
        """How frames become what the network sees, and its field one of the frames."""
        from worldgauge.instruments.neural.networks.flow_pairs import Fitting

        return Fitting(self.value_range, self.padding)
