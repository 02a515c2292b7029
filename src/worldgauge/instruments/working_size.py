"""The size at which instruments look at frames whose shorter side they resize."""

from __future__ import annotations

from worldgauge.core.errors import Unscored

LONGEST = 32
"""How many times as long as wide a frame may be. A strip of 2x20000 px, its shorter side brought to 192, would have
two million rows."""


def by_short_side(width: int, height: int, short_side: int, least: int = 1) -> tuple[int, int]:
    """Width and height with the shorter one at `short_side`, neither below `least`; strips are refused.

    >>> by_short_side(832, 480, 192)
    (333, 192)
    """
    refuse_strip(width, height)
    scale = short_side / min(width, height)
    return max(least, round(width * scale)), max(least, round(height * scale))


def refuse_strip(width: int, height: int) -> None:
    """Raise `Unscored` for a frame more than `LONGEST` times as long as wide."""
    if max(width, height) > LONGEST * min(width, height):
        raise Unscored(f"frames of {width}x{height} are strips: one side is more than {LONGEST} times the other")
