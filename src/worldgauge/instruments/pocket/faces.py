"""The faces seat of the pocket set: honestly empty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unavailable
from worldgauge.core.instrument import Instrument
from worldgauge.signals.faces import Face

REASON = "telling faces apart needs a network; seat one with --use faces=NAME"


@dataclass(frozen=True)
class NoFaces(Instrument):
    """Says that faces cannot be judged without weights; every metric that needs them is unscored."""

    seat: ClassVar[str] = "faces"
    name: ClassVar[str] = "no_faces"

    def unavailable(self) -> str | None:
        return REASON

    def faces(self, frames: NDArray[np.uint8]) -> Sequence[Sequence[Face]]:
        """Never answers: there is no weight-free way worth having."""
        raise Unavailable(REASON)
