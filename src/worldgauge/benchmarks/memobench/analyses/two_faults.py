"""Two faults in one clip: what real models show, and what a taxonomy that gives several names is tried on."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks.faults import FAULTS, Fault, Given
from worldgauge.blocks.faults.base import Frames, Textures
from worldgauge.blocks.subjects import studio
from worldgauge.blocks.timeline import Timeline
from worldgauge.core.case import Case

PAIRS: Final = (
    ("vanish", "background"),
    ("identity_drift", "background"),
    ("state_reset", "background"),
    ("teleport", "background"),
    ("identity_drift", "teleport"),
    ("identity_drift", "state_reset"),
)
"""Kinds of failure that can be seen together. A target that vanishes has no looks and no place, and under a drifting
camera the rest cannot be told."""


class Both(Fault):
    """One fault, then the other in the world that the first has left."""

    def __init__(self, first: Fault, second: Fault) -> None:
        self._both = (first, second)

    def act(self, given: Given, severity: float) -> Timeline:
        for fault in self._both:
            given = replace(given, world=replace(given.world, timeline=fault.act(given, severity)))
        return given.timeline

    def textures(self, given: Given, severity: float) -> Textures | None:
        painted = [found for fault in self._both if (found := fault.textures(given, severity)) is not None]
        if not painted:
            return None

        def at(frame: int) -> dict[int, NDArray[np.uint8]]:
            return {texture: image for found in painted for texture, image in found(frame).items()}

        return at

    def look(self, given: Given, frames: Frames, severity: float) -> Frames:
        for fault in self._both:
            frames = fault.look(given, frames, severity)
        return frames


def perform(case: Case, first: str, second: str, severity: float = 1.0) -> Frames:
    """The frames of a case with two faults, by their names."""
    with studio(case) as opened:
        return opened.perform(Both(FAULTS[first](), FAULTS[second]()), severity).frames
