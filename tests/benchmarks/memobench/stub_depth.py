"""A depth instrument included by a test: brightness is depth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from worldgauge.core.instrument import INSTRUMENTS, Instrument


@dataclass(frozen=True)
class StubDepth(Instrument):
    """Grey levels of the frame."""

    seat: ClassVar[str] = "image_depth"
    name: ClassVar[str] = "stub_depth"

    def depth(self, image: np.ndarray) -> np.ndarray:
        return image.astype(np.float32).mean(axis=2)


INSTRUMENTS.add(StubDepth.name, StubDepth, f"stub_depth:{StubDepth.__name__}")
