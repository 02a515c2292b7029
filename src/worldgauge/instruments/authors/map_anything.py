"""MapAnything as an instrument: metric camera poses of a whole clip (Keetha and others, 2025)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.instruments.authors.network import AuthorsPoses, Frames, View

SIZES = {
    1.000: (518, 518),
    1.321: (518, 392),
    1.542: (518, 336),
    1.762: (518, 294),
    2.056: (518, 252),
    3.083: (518, 168),
    0.757: (392, 518),
    0.649: (336, 518),
    0.567: (294, 518),
    0.486: (252, 518),
}
"""Width over height to the size it is given, whichever is nearest."""


@dataclass(frozen=True)
class MapAnything(AuthorsPoses):
    """Camera poses by MapAnything's Apache-licensed model, all frames in one pass, the first as the reference."""

    name: ClassVar[str] = "map_anything"
    environment: ClassVar[str] = "map-anything"
    part: ClassVar[str] = "map_anything.py"
    memory: ClassVar[float] = 16.0
    metric: ClassVar[bool] = True

    @property
    def weights(self) -> tuple[str, ...]:
        return ("map_anything",)

    def working_size(self, width: int, height: int) -> tuple[int, int]:
        """
        >>> MapAnything().working_size(640, 369), MapAnything().working_size(480, 832)
        ((518, 294), (294, 518))
        """
        return SIZES[min(sorted(SIZES), key=lambda ratio: abs(ratio - width / height))]

    def prepared(self, frames: Frames) -> tuple[NDArray[np.uint8], View]:
        height, width = frames[0].shape[:2]
        target = self.working_size(width, height)
        covering = covering_size((width, height), target)
        stack = np.stack([_cut(frame, covering, target) for frame in frames])
        return stack, View((covering[0] / width, covering[1] / height), target)


def covering_size(size: tuple[int, int], target: tuple[int, int]) -> tuple[int, int]:
    """Width and height of a frame scaled so that it just covers the target.

    >>> covering_size((640, 369), (518, 294))
    (518, 298)
    """
    scale = max(target[0] / size[0], target[1] / size[1]) + 1e-8
    return math.floor(size[0] * scale), math.floor(size[1] * scale)


def _cut(frame: NDArray[np.uint8], covering: tuple[int, int], target: tuple[int, int]) -> NDArray[np.uint8]:
    """Lanczos to make it smaller, bicubic to make it larger, then the middle."""
    from PIL import Image

    smaller = covering[0] < frame.shape[1] or covering[1] < frame.shape[0]
    by = Image.Resampling.LANCZOS if smaller else Image.Resampling.BICUBIC
    picture = np.asarray(Image.fromarray(np.ascontiguousarray(frame)).resize(covering, by))
    left, top = (covering[0] - target[0]) // 2, (covering[1] - target[1]) // 2
    return picture[top : top + target[1], left : left + target[0]]
