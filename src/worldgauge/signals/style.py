"""How far the style of the frames moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.clip import Clip
from worldgauge.core.signal import Arrays, signal
from worldgauge.core.stacks import InStacks, in_stacks
from worldgauge.functional.style import gram_distance, gram_size
from worldgauge.signals.usable import usable_frames


class StyleInstrument(InStacks, Protocol):
    """What the seat `style` offers."""

    def grams(self, frames: NDArray[np.uint8]) -> tuple[NDArray[np.float32], ...]:
        """Per layer one Gram matrix for each of RGB frames (N, H, W, 3): (N, C, C); layers may differ in C."""


@signal(version=2, reads=("video",), needs=(usable_frames(),), seat="style", cost=0.03)
def style_distances(clip: Clip, shown: Arrays, style: StyleInstrument) -> Arrays:
    """Frobenius distances between Gram matrices, per frame and layer; the matrices themselves are not stored.

    `to_first` and `to_previous` (N, layers): distance to the first usable frame and to the frame before (0 for the
    first frame); `size` (N, layers): norm of the frame's own matrices; `channels` (layers,): their number of rows;
    `usable` (N,): frames that show the world.
    """
    frames, used = clip.frames(), shown["usable"]
    start = int(used.argmax())
    first: Sequence[NDArray[np.float32]] = in_stacks(style, style.grams, frames[start : start + 1])[0]
    previous: Sequence[NDArray[np.float32]] = ()
    rows = []
    for grams in in_stacks(style, style.grams, frames):
        previous = previous or grams
        rows.append((gram_distance(grams, first), gram_distance(grams, previous), gram_size(grams)))
        previous = grams
    to_first, to_previous, size = (np.stack(column) for column in zip(*rows, strict=True))
    channels = np.array([len(matrix) for matrix in first])
    return {"to_first": to_first, "to_previous": to_previous, "size": size, "channels": channels, "usable": used}
