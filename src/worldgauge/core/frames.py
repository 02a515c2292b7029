"""`FrameSpec`: which frames of a clip, at which size. Part of every signal's key, so nothing is implicit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from worldgauge.core.case import Phases
from worldgauge.core.errors import InvalidVideo, NotApplicable, WorldGaugeError

Choice = Literal["all", "stride", "uniform", "indices", "phase"]
Interpolation = Literal["nearest", "bilinear", "bicubic", "area", "lanczos"]
PhaseName = Literal["visible", "gone", "back"]
SAME_RATE = 0.002
"""Share by which rates of one clock may differ: 29.97 and 30 frames per second are the same."""


@dataclass(frozen=True)
class FrameSpec:
    """A choice of frames and a target size. Build it with `every`, `uniform`, `at` or `during`."""

    choice: Choice = "all"
    number: int = 1
    """The stride, or how many frames `uniform` takes."""
    chosen: tuple[int, ...] = ()
    phase: PhaseName | None = None
    size: tuple[int, int] | None = None
    """Width and height, aspect ratio not kept."""
    max_side: int | None = None
    """Shrink, keeping the aspect ratio, until the longer side is at most this."""
    interpolation: Interpolation = "area"

    def __post_init__(self) -> None:
        if self.number < 1:
            raise WorldGaugeError(f"a frame spec needs a positive stride or count, got {self.number}")
        if self.interpolation not in get_args(Interpolation):
            raise WorldGaugeError(
                f"unknown interpolation '{self.interpolation}'", f"use one of {get_args(Interpolation)}"
            )

    @classmethod
    def every(cls, stride: int) -> FrameSpec:
        """Frames 0, stride, 2 stride, ..."""
        return cls("stride", stride)

    @classmethod
    def uniform(cls, count: int) -> FrameSpec:
        """`count` frames from first to last, evenly spread, rounded half up; all of them when the clip is shorter."""
        return cls("uniform", count)

    @classmethod
    def at(cls, *indices: int) -> FrameSpec:
        """Exactly these frames; negative numbers count from the end."""
        return cls("indices", chosen=tuple(indices))

    @classmethod
    def during(cls, phase: PhaseName) -> FrameSpec:
        """The frames of one phase of the case."""
        return cls("phase", phase=phase)

    def resized(self, width: int, height: int, interpolation: Interpolation = "area") -> FrameSpec:
        return replace(self, size=(width, height), max_side=None, interpolation=interpolation)

    def within(self, max_side: int, interpolation: Interpolation = "area") -> FrameSpec:
        return replace(self, size=None, max_side=max_side, interpolation=interpolation)

    def indices(self, count: int, phases: Phases | None = None) -> list[int]:
        """The frame numbers this spec takes from a clip of `count` frames.

        >>> FrameSpec.uniform(3).indices(10)
        [0, 5, 9]
        """
        match self.choice:
            case "all":
                return list(range(count))
            case "stride":
                return list(range(0, count, self.number))
            case "uniform":
                return _evenly_spread(self.number, count)
            case "indices":
                return [_index(i, count) for i in self.chosen]
            case "phase":
                return _phase_frames(self.phase, phases, count)

    def output_size(self, width: int, height: int) -> tuple[int, int]:
        """Width and height of the frames handed out for a clip of this size."""
        if self.size is not None:
            return self.size
        longest = max(width, height)
        if self.max_side is None or longest <= self.max_side:
            return width, height
        shrink = self.max_side / longest
        return max(1, round(width * shrink)), max(1, round(height * shrink))

    def to_json(self) -> dict[str, Any]:
        """The part of a signal's key that names the frames; fields that change nothing are left out."""
        spec: dict[str, Any] = {"choice": self.choice}
        if self.choice in ("stride", "uniform"):
            spec["number"] = self.number
        if self.choice == "indices":
            spec["indices"] = list(self.chosen)
        if self.choice == "phase":
            spec["phase"] = self.phase
        if self.size is not None or self.max_side is not None:
            spec |= {"size": self.size, "max_side": self.max_side, "interpolation": self.interpolation}
        return spec


def unlike_rates(rate: float | None, reference_rate: float | None) -> bool:
    """Whether both rates are known and differ.

    >>> unlike_rates(24.0, 12.0), unlike_rates(29.97, 30.0), unlike_rates(24.0, None)
    (True, False, False)
    """
    if not rate or not reference_rate:
        return False
    return abs(rate - reference_rate) > SAME_RATE * max(rate, reference_rate)


def _evenly_spread(number: int, count: int) -> list[int]:
    if number >= count:
        return list(range(count))
    if number == 1:
        return [0]
    return [int(i * (count - 1) / (number - 1) + 0.5) for i in range(number)]


def _index(index: int, count: int) -> int:
    resolved = index + count if index < 0 else index
    if not 0 <= resolved < count:
        raise InvalidVideo(f"frame {index} is asked for, the clip has {count}")
    return resolved


def _phase_frames(phase: PhaseName | None, phases: Phases | None, count: int) -> list[int]:
    if phases is None:
        raise NotApplicable("the case has no phases")
    start, stop = {"visible": (0, phases.gone), "gone": (phases.gone, phases.back), "back": (phases.back, count)}[
        phase or ""
    ]
    return list(range(min(start, count), min(stop, count)))
