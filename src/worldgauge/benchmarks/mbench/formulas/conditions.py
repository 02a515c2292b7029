"""The released condition ids of action clips: which way the camera goes, and for how long."""

from __future__ import annotations

import re
from dataclasses import dataclass

from worldgauge.core.errors import WorldGaugeError

FPS = 16
FRAMES = {"10s": 161, "25s": 401}
"""Suffix of a condition id to the frames of its clip."""
_THERE_AND_BACK = ("left_then_right", "right_then_left", "forward_then_backward")
_ROUND = re.compile(r"(left|right)_(360|720|1080)")


@dataclass(frozen=True)
class ActionCondition:
    """What a condition id asks for."""

    id: str
    legs: tuple[tuple[str, float], ...]
    """Verbs in order, and the share of the clip each takes."""
    frames: int
    degrees: float | None = None
    """Of whole turns; None where the id does not say how far."""

    @property
    def first_verb(self) -> str:
        return self.legs[0][0]

    @property
    def comes_back(self) -> bool:
        """Whether it leaves the first view and comes back to it by its own instruction."""
        return len(self.legs) > 1 or self.degrees is not None


def read_condition(text: str) -> ActionCondition:
    """The meaning of a condition id.

    >>> found = read_condition("left_then_right_10s")
    >>> found.legs, found.frames
    ((('left', 0.5), ('right', 0.5)), 161)
    >>> read_condition("right_720").degrees
    720.0
    """
    stem, _, suffix = text.rpartition("_")
    length = FRAMES.get(suffix)
    motion = stem if length else text
    frames = length or FRAMES["25s"]
    if motion == "static":
        return ActionCondition(text, (("wait", 1.0),), frames)
    if motion in _THERE_AND_BACK:
        there, back = motion.split("_then_")
        return ActionCondition(text, ((there, 0.5), (back, 0.5)), frames)
    if turns := _ROUND.fullmatch(motion):
        return ActionCondition(text, ((turns[1], 1.0),), frames, float(turns[2]))
    known = "left_then_right, forward_then_backward, left_360, static, each with _10s or _25s"
    raise WorldGaugeError(f"condition '{text}' is not known", f"known are for example {known}")
