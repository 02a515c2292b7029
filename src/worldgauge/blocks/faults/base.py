"""What a fault is: one thing that goes wrong in an otherwise perfect world model, with a dial.

A fault changes what happens (`act`, on the timeline), what things are painted with (`textures`) or what the pictures
become (`look`). It declares, as data, which qualities its dial must move, which must stay as they are, and which
quantity of the truth the dial claims to change; `measure` reads that quantity off what is shown.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks.block import World
from worldgauge.blocks.timeline import Timeline
from worldgauge.core.case import Case
from worldgauge.core.gauge import Quality

Frames = NDArray[np.uint8]
"""(N, H, W, 3) RGB."""
Textures = Callable[[int], dict[int, NDArray[np.uint8]]]
"""Frame to the texture ids of the model that look different there, and their (side, side, 3) pictures."""


@dataclass(frozen=True)
class Move:
    """A quality that must change as severity rises."""

    quality: Quality
    to: Literal["worse", "better"] = "worse"


@dataclass(frozen=True)
class Stay:
    """A quality that must not change, up to a severity."""

    quality: Quality
    up_to: float = 1.0


def still(*qualities: Quality, up_to: float = 1.0) -> tuple[Stay, ...]:
    """Several qualities that must not change, up to a severity."""
    return tuple(Stay(quality, up_to) for quality in qualities)


@dataclass(frozen=True, eq=False)
class Given:
    """What a subject starts from: the true world, and when its target is out of sight."""

    world: World
    gone: int
    """First frame without the target; the middle of the clip where it never leaves."""
    back: int
    """First frame with the whole target again; the middle of the clip where it never leaves."""
    borders: tuple[int, ...]
    """First frames of the second and later chunks."""
    seed: int

    @classmethod
    def of(cls, case: Case, world: World) -> Given:
        """The world of a written gauge block, with the case's phases and chunks."""
        count, phases = len(world.timeline), case.reference.phases
        borders = tuple(c.first for c in case.condition.chunks if c.first > 0) or (count // 3, 2 * count // 3)
        gone, back = (phases.gone, phases.back) if phases else (count // 2, count // 2)
        return cls(world, gone, back, borders, zlib.crc32(case.id.encode()))

    @property
    def timeline(self) -> Timeline:
        return self.world.timeline

    @property
    def unseen(self) -> int:
        """The middle of the absence: what changes here is never seen to change."""
        return (self.gone + self.back) // 2

    @property
    def unit(self) -> float:
        """Metres; a target is about 0.6 units wide."""
        return self.world.scene.stage.unit

    @property
    def target(self) -> list[int]:
        """Geom ids of the target."""
        return self.world.scene.target.geoms

    def random(self, fault: str) -> np.random.Generator:
        """The same numbers for every severity, so that only the dial differs."""
        return np.random.default_rng([self.seed, zlib.crc32(fault.encode())])


@dataclass(frozen=True, eq=False)
class Shown:
    """What a subject shows, and the truth (the oracle's pictures) beside it."""

    timeline: Timeline
    frames: Frames
    truth: Frames
    textures: Textures | None = None
    """Surfaces that are painted differently."""


class Fault:
    """One kind of failure. Subclasses fill in the declarations and override what they change."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    """Raise it when the same severity gives other bytes: finished clips are then made anew."""
    says: ClassVar[str]
    """What goes wrong, as a clause."""
    quantity: ClassVar[str]
    """What `measure` gives, with its unit."""
    noticed: ClassVar[float] = 0.0
    """A person sees nothing wrong unless the quantity is above this, as where a still scene runs backwards."""
    unseen: ClassVar[bool] = False
    """Whether it happens while the target is out of view: elsewhere its declarations mean nothing."""
    moves: ClassVar[tuple[Move, ...]]
    stays: ClassVar[tuple[Stay, ...]] = ()

    def act(self, given: Given, severity: float) -> Timeline:
        """What happens in the subject's world."""
        return given.timeline

    def textures(self, given: Given, severity: float) -> Textures | None:
        """Surfaces that are painted differently."""
        return None

    def look(self, given: Given, frames: Frames, severity: float) -> Frames:
        """What the pictures become; frame 0 is the model's input and stays."""
        return frames

    def measure(self, given: Given, shown: Shown) -> float:
        """The quantity that severity claims to change, read off the truth; 0 where the fault shows nothing."""
        raise NotImplementedError


def onset(count: int, reach: float = 0.12) -> NDArray[np.float64]:
    """(count,) 0 at the first frame, 1 from the share `reach` of the clip on."""
    return np.clip(np.arange(count) / max(1.0, reach * count), 0, 1)


def levels(shown: Shown) -> float:
    """Mean absolute difference from the true pictures, in 8-bit levels."""
    pairs = zip(shown.frames, shown.truth, strict=True)
    return float(np.mean([np.abs(a.astype(np.int16) - b).mean() for a, b in pairs]))


class SeenInPictures(Fault):
    """A fault whose dose is how far its pictures are from the true ones; where nothing moves, no order is wrong."""

    quantity = "mean difference from the true pictures, 8-bit levels"

    def measure(self, given: Given, shown: Shown) -> float:
        return levels(shown)
