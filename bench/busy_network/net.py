"""The network: a small matrix, and patience."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge import Instrument

SECONDS = 0.5
LOADS = "WORLDGAUGE_BUSY_LOADS"
"""Environment variable: the file that gets a line whenever the network is loaded."""


@dataclass(frozen=True)
class BusyNet(Instrument):
    """It multiplies matrices for half a second of processor time, so that cores that an executor itself takes from its
    workers show too."""

    seat: ClassVar[str] = "aesthetic"
    name: ClassVar[str] = "busy_net"
    weights: ClassVar[tuple[str, ...]] = ("busy_net",)
    memory: ClassVar[float] = 0.01

    def load(self, device: str) -> None:
        object.__setattr__(self, "_matrix", np.loadtxt(self.weight_files()["busy_net"]))
        with Path(os.environ[LOADS]).open("a", encoding="utf-8") as stream:
            stream.write(f"{os.getpid()}\n")

    def scores(self, frames: NDArray[np.uint8]) -> NDArray[np.float64]:
        matrix: NDArray[np.float64] = self._matrix  # type: ignore[attr-defined]
        until = time.thread_time() + SECONDS
        state = np.eye(len(matrix))
        while time.thread_time() < until:
            state = np.tanh(state @ matrix)
        return frames.reshape(len(frames), -1).mean(1) / 255 * matrix[0, 0]
