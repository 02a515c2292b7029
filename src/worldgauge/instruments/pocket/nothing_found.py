"""The seat of phrase followers for who has no network: nothing is found, and nothing is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.instrument import Instrument


@dataclass(frozen=True)
class NothingFound(Instrument):
    """Finds nothing, whatever it is asked for. Sits nowhere by itself: who seats it says that no boxes are wanted."""

    seat: ClassVar[str] = "phrase_follower"
    name: ClassVar[str] = "nothing_found"

    def followed_phrase(
        self, frames: Sequence[NDArray[np.uint8]], phrase: str
    ) -> Iterator[Mapping[int, tuple[NDArray[np.bool_], float]]]:
        """Frame by frame no object."""
        return ({} for _ in frames)
