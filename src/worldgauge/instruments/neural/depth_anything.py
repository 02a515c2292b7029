"""Depth Anything V2 as an instrument: relative inverse depth of single frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.instruments.neural.loaded import NeuralInstrument
from worldgauge.instruments.neural.preparing import (
    Frames,
    covering,
    covering_size,
    height_and_width,
    least_scaled_size,
    resized,
)
from worldgauge.instruments.neural.read_state import read_state


@dataclass(frozen=True)
class DepthAnythingV2(NeuralInstrument):
    """Relative inverse depth of a frame: 0 is far, large is near, of any scale."""

    seat: ClassVar[str] = "image_depth"

    batch: int = 4
    resize: Literal["transformers", "authors"] = "transformers"
    """The network's size. `transformers`: the side that changes less becomes 518 px, by Pillow; 640x360 is seen at
    518x294. `authors`: the shorter side becomes 518 px, by OpenCV; 640x360 is seen at 924x518."""
    positions: Literal["transformers", "hub"] = "transformers"
    """How the table of positions is resized: exactly, or with the slightly different scale of the authors' code."""
    output: Literal["network", "frame"] = "network"
    """The size of the map: the network's, or the frame's, to which the authors enlarge it."""

    @property
    def weights(self) -> tuple[str, ...]:
        return (self.name,)

    def working_size(self, width: int, height: int) -> tuple[int, int]:
        return least_scaled_size(width, height) if self.resize == "transformers" else covering_size(width, height)

    def build(self, device: str) -> Any:
        from worldgauge.instruments.neural.networks.depth_anything import DepthEncoder, depth_anything_from

        module = depth_anything_from(read_state(self.weight_files()[self.name]))
        return DepthEncoder(module, self.positions, device, self.dtype, self.batch, self.tf32)

    def depths(self, frames: Frames) -> NDArray[np.float32]:
        """RGB frames (N, H, W, 3) to maps (N, h, w)."""
        height, width = height_and_width(frames)
        prepared: Frames | NDArray[np.float32]
        prepared = covering(frames) if self.resize == "authors" else resized(frames, self.working_size(width, height))
        found: NDArray[np.float32] = self.network.depths(prepared, (width, height) if self.output == "frame" else None)
        return found


@dataclass(frozen=True)
class DepthAnythingV2Small(DepthAnythingV2):
    """Relative inverse depth of a frame by Depth Anything V2 Small."""

    name: ClassVar[str] = "depth_anything_v2_small"
    memory: ClassVar[float] = 1.5
    rate: ClassVar[float | None] = 129.0


@dataclass(frozen=True)
class DepthAnythingV2Base(DepthAnythingV2):
    """Relative inverse depth of a frame by Depth Anything V2 Base."""

    name: ClassVar[str] = "depth_anything_v2_base"
    memory: ClassVar[float] = 2.5


@dataclass(frozen=True)
class DepthAnythingV2Large(DepthAnythingV2):
    """Relative inverse depth of a frame by Depth Anything V2 Large."""

    name: ClassVar[str] = "depth_anything_v2_large"
    memory: ClassVar[float] = 5.0
