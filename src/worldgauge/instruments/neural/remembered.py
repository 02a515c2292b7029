"""What an encoder has answered for the frames of a case, so that a second head does not run it again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

Frames = NDArray[np.uint8]


class Remembered:
    """Rows by the content of their frame, until the case is done."""

    def __init__(self) -> None:
        self._rows: dict[Hashable, NDArray[Any]] = {}

    def rows(self, frames: Frames, how: Hashable, encode: Callable[[Frames], NDArray[Any]]) -> NDArray[Any]:
        """What `encode` answers for frames (N, H, W, 3), asked only for those it has not seen under `how` yet."""
        if not len(frames):
            return encode(frames)
        keys = [(how, frame.shape, blake2b(np.ascontiguousarray(frame).data).digest()) for frame in frames]
        new = {key: k for k, key in enumerate(keys) if key not in self._rows}
        if new:
            answers = encode(frames[list(new.values())])
            self._rows.update(zip(new, answers, strict=True))
        return np.stack([self._rows[key] for key in keys])

    def forget(self) -> None:
        self._rows.clear()
