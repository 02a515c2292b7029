"""Where revisit similarity looks."""

from __future__ import annotations

from worldgauge.functional.phases import clamp


def revisit_indices(back: int, frames: int) -> list[int]:
    """Three frames from `back` to the last, rounded down and kept inside: where revisit similarity looks.

    >>> revisit_indices(8, 12), revisit_indices(4, 4)
    ([8, 9, 11], [3, 3, 3])
    """
    return clamp([int(back + k * (frames - 1 - back) / 2) for k in range(3)], frames)
