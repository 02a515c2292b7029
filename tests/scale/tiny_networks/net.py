"""The networks: a number each, and a little patience. They take no room, whatever their cards say."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge import Instrument

SECONDS = 0.1
"""For each clip, so that a run has a middle in which something can be killed."""


class Tiny(Instrument):
    """Its weights are one number."""

    memory: ClassVar[float] = 3.0

    def load(self, device: str) -> None:
        (file,) = self.weight_files().values()
        object.__setattr__(self, "_factor", float(file.read_text()))

    def scores(self, frames: NDArray[np.uint8]) -> NDArray[np.float64]:
        time.sleep(SECONDS)
        factor: float = self._factor  # type: ignore[attr-defined]
        return frames.reshape(len(frames), -1).mean(1) / 255 * factor


@dataclass(frozen=True)
class TinyLooks(Tiny):
    """Brightness."""

    seat: ClassVar[str] = "aesthetic"
    name: ClassVar[str] = "tiny_looks"
    weights: ClassVar[tuple[str, ...]] = ("tiny_looks",)


@dataclass(frozen=True)
class TinyQuality(Tiny):
    """Half of it."""

    seat: ClassVar[str] = "image_quality"
    name: ClassVar[str] = "tiny_quality"
    weights: ClassVar[tuple[str, ...]] = ("tiny_quality",)
