"""SEA-RAFT as an instrument: dense optical flow (Wang, Lipson and Deng, 2024)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from worldgauge.instruments.neural.flow_seat import FlowSeat
from worldgauge.instruments.neural.read_state import read_state

if TYPE_CHECKING:
    from worldgauge.instruments.neural.networks.flow_pairs import Fitting, FlowPairs

WEIGHTS = "sea_raft_m"


@dataclass(frozen=True)
class SeaRaftM(FlowSeat):
    """Flow by SEA-RAFT, size M, trained for the Spring data set."""

    name: ClassVar[str] = "sea_raft_m"
    version: ClassVar[int] = 2
    memory: ClassVar[float] = 1.5
    rate: ClassVar[float | None] = 505.0

    half: bool = True
    """Whether frames are seen at half their size and the field is enlarged, as the authors do for Spring."""
    odd_sizes: Literal["fill", "cut"] = "fill"
    """What becomes of the row or column that a frame of odd size loses at half size: the field's last one stands for
    it, or the field is a pixel smaller than the frame, as in the authors' code."""
    updates: int = 4

    @property
    def weights(self) -> tuple[str, ...]:
        return (WEIGHTS,)

    def working_size(self, width: int, height: int) -> tuple[int, int]:
        return super().working_size(*((width // 2, height // 2) if self.half else (width, height)))

    def build(self, device: str) -> FlowPairs:
        from worldgauge.instruments.neural.networks import sea_raft
        from worldgauge.instruments.neural.networks.filled import filled
        from worldgauge.instruments.neural.networks.flow_pairs import FlowPairs

        state = read_state(self.weight_files()[WEIGHTS])
        network = filled(sea_raft.build, state, "SEA-RAFT M", sea_raft.rename)
        numerics = (device, self.dtype, self.batch, self.tf32, self.compiled)
        return FlowPairs(network, self.fitting(), self.updates, *numerics)

    def fitting(self) -> Fitting:
        """How frames become what the network sees, and its field one of the frames."""
        from worldgauge.instruments.neural.networks.flow_pairs import Fitting

        return Fitting(half=self.half, odd_sizes=self.odd_sizes)
