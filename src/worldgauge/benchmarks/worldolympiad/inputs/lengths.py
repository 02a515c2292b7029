"""How many frames each chunk of a generated clip has: its share of the reference, at lengths the model can make."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from worldgauge.core.errors import WorldGaugeError

_RULE = re.compile(r"(\d+)n([+-]\d+)?")


@dataclass(frozen=True)
class FrameRule:
    """A call makes `step` x n + `offset` frames, n at least 1."""

    step: int = 1
    offset: int = 0

    @classmethod
    def parse(cls, text: str) -> FrameRule:
        """
        >>> FrameRule.parse("4n+1"), FrameRule.parse("any")
        (FrameRule(step=4, offset=1), FrameRule(step=1, offset=0))
        """
        found = _RULE.fullmatch(text.replace(" ", "").lower())
        if text == "any":
            return cls()
        if found is None or int(found[1]) < 1 or int(found[1]) + int(found[2] or 0) < 1:
            raise WorldGaugeError(f"'{text}' is no rule of frame numbers", "write for example 4n+1, 33n or any")
        return cls(int(found[1]), int(found[2] or 0))

    def frames(self, units: int) -> int:
        """
        >>> FrameRule(4, 1).frames(20)
        81
        """
        return self.step * units + self.offset

    def units(self, frames: float) -> int:
        """The n whose length is nearest; of two the longer."""
        return max(1, int((frames - self.offset) / self.step + 0.5))

    def fits(self, frames: int) -> bool:
        return frames >= self.frames(1) and (frames - self.offset) % self.step == 0

    def __str__(self) -> str:
        return "any" if self == FrameRule() else f"{self.step}n{self.offset:+d}" if self.offset else f"{self.step}n"


def asked_frames(seconds: float, fps: float) -> int:
    """Frames of a chunk at its own speed.

    Source: drivers of the benchmark in OpenWorldLib, commits c35531a and 7c38693.

    >>> asked_frames(2.0, 16.0), asked_frames(0.01, 16.0)
    (32, 1)
    """
    return max(1, round(seconds * fps))


def shares(weights: Sequence[float], units: int) -> list[int]:
    """`units` dealt out by weight, at least one to each; what is left over goes to the largest remainders.

    >>> shares([15.0, 30.0, 15.0], 46)
    [12, 23, 11]
    """
    count = len(weights)
    if units < count:
        raise WorldGaugeError(f"{units} steps are too few for {count} chunks", "make the clip longer")
    total = sum(weights)
    exact = [weight / total * units if total > 0 else units / count for weight in weights]
    dealt = [max(1, int(one)) for one in exact]
    order = sorted(range(count), key=lambda k: (-(exact[k] - int(exact[k])), k))
    for k in order * 2:
        if sum(dealt) >= units:
            break
        dealt[k] += 1
    while sum(dealt) > units:
        # Chunks that were raised to one took it from the longest.
        dealt[max(range(count), key=lambda k: (dealt[k] - exact[k], dealt[k]) if dealt[k] > 1 else (-1.0, 0))] -= 1
    return dealt


def frames_in_one_call(wanted: Sequence[float], rule: FrameRule, total: int | None = None) -> list[int]:
    """Frames of each chunk of a clip that is made at once: `wanted` frames each, or shares of `total`.

    Chunks change where the model can change, so all but the first have whole steps; the first has the offset too.

    >>> frames_in_one_call([32, 32], FrameRule(4, 1)), frames_in_one_call([1, 3], FrameRule(4, 1), 81)
    ([33, 32], [21, 60])
    """
    if total is not None and not rule.fits(total):
        raise WorldGaugeError(f"a clip of {total} frames is none the model makes: {rule}", _nearest(rule, total))
    units = rule.units(sum(wanted) if total is None else total)
    dealt = shares(wanted, max(units, len(wanted)) if total is None else units)
    return [rule.step * one + (rule.offset if k == 0 else 0) for k, one in enumerate(dealt)]


def frames_per_call(wanted: Sequence[float], rule: FrameRule, total: int | None = None) -> list[int]:
    """Frames of each chunk where every chunk is a call of its own, each as long as the rule allows.

    A later call begins with the last frame of the one before, which is left out: its chunk has one frame less.

    >>> frames_per_call([32, 32], FrameRule(4, 1)), frames_per_call([10, 30], FrameRule(4, 1), 80)
    ([33, 32], [21, 60])
    """
    scale = 1.0 if total is None else total / sum(wanted)
    made = [rule.frames(rule.units(one * scale + (k > 0))) for k, one in enumerate(wanted)]
    return [max(1, one - (k > 0)) for k, one in enumerate(made)]


def _nearest(rule: FrameRule, total: int) -> str:
    units = rule.units(total)
    return f"take {rule.frames(units)}"
