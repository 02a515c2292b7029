"""VGGT as an instrument: camera poses of a whole clip (Wang and others, 2025)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.instruments.authors.network import AuthorsPoses, Frames, View

SIDE = 518
PATCH = 14


@dataclass(frozen=True)
class Vggt(AuthorsPoses):
    """Camera poses by VGGT's camera head, all frames in one pass, the first as the reference."""

    name: ClassVar[str] = "vggt"
    environment: ClassVar[str] = "vggt"
    part: ClassVar[str] = "vggt.py"
    whole_frames: ClassVar[bool] = True
    memory: ClassVar[float] = 20.0

    @property
    def weights(self) -> tuple[str, ...]:
        return ("vggt",)

    def working_size(self, width: int, height: int) -> tuple[int, int]:
        """
        >>> Vggt().working_size(832, 480), Vggt().working_size(480, 832)
        ((518, 294), (518, 518))
        """
        return SIDE, min(SIDE, full_height(width, height))

    def prepared(self, frames: Frames) -> tuple[NDArray[np.uint8], View]:
        from PIL import Image

        height, width = frames[0].shape[:2]
        tall = full_height(width, height)
        shown = min(SIDE, tall)
        top = (tall - shown) // 2
        pictures = (Image.fromarray(np.ascontiguousarray(frame)) for frame in frames)
        by = Image.Resampling.BICUBIC
        stack = np.stack([np.asarray(one.resize((SIDE, tall), by))[top : top + shown] for one in pictures])
        return stack, View((SIDE / width, tall / height), (SIDE, shown))


def full_height(width: int, height: int) -> int:
    """Of a frame 518 px wide, in whole patches.

    >>> full_height(832, 480), full_height(480, 832)
    (294, 896)
    """
    return max(PATCH, round(height * (SIDE / width) / PATCH) * PATCH)
