"""Frames of clips side by side on one sheet, as papers show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from PIL.Image import Image

    from worldgauge.core.video import Video

HEIGHT = 96
"""Px of a frame on a sheet."""


def small_frames(video: Video, numbers: Sequence[int], height: int = HEIGHT) -> list[Image]:
    """The frames of these numbers, which may repeat, each of one height."""
    from PIL import Image as Pillow

    frames = dict(video.decode(sorted(set(numbers))))
    pictures = {number: Pillow.fromarray(frame) for number, frame in frames.items()}
    small = {n: p.resize((max(1, round(p.width * height / p.height)), height)) for n, p in pictures.items()}
    return [small[number] for number in numbers]


def spread_over(start: int, last: int, count: int) -> list[int]:
    """`count` frame numbers from `start` to `last`, evenly.

    >>> spread_over(0, 12, 4), spread_over(0, 1, 3)
    ([0, 4, 8, 12], [0, 1, 1])
    """
    return [min(round(float(x)), last) for x in np.linspace(start, last, count) + 1e-9]
