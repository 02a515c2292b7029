"""How much to measure: worlds, faults and severities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args

from worldgauge.blocks.block import Block
from worldgauge.blocks.faults import FAULTS
from worldgauge.blocks.names import pick
from worldgauge.blocks.subjects import Subject
from worldgauge.core.gauge import Kind

_PLACES: dict[Kind, tuple[tuple[str, str, str], ...]] = {
    # Every family, and the away-and-back paths on which the camera turns in place: their poses take seconds.
    "returns": (
        ("room", "away_left", "rolling"),
        ("street", "away_right", "crossing"),
        ("yard", "exit_wait_reenter", "windmill"),
        ("hall", "tilt", "melting"),
        ("shelf", "head_turn", "inflating"),
        ("pool", "away_left", "crossing"),
        ("street", "exit_wait_reenter", "rolling"),
        ("yard", "away_right", "burning"),
    ),
    "layouts": (
        ("room", "push_in", "rolling"),
        ("street", "pull_out", "crossing"),
        ("yard", "move_left", "windmill"),
        ("hall", "move_right", "bouncing"),
        ("shelf", "orbit_left", "inflating"),
        ("pool", "orbit_right", "crossing"),
        ("street", "pan_left", "rolling"),
        ("yard", "pan_right", "burning"),
        ("hall", "push_in", "crossing"),
        ("pool", "pull_out", "rolling"),
        ("shelf", "move_left", "bouncing"),
        ("street", "move_right", "burning"),
        ("room", "orbit_left", "windmill"),
        ("yard", "orbit_right", "inflating"),
        ("pool", "pan_left", "bouncing"),
        ("hall", "pan_right", "rolling"),
    ),
    "fixed": (
        ("room", "fixed", "rolling"),
        ("street", "fixed", "crossing"),
        ("yard", "fixed", "windmill"),
        ("hall", "fixed", "bouncing"),
        ("shelf", "fixed", "inflating"),
        ("pool", "fixed", "crossing"),
        ("street", "fixed", "rolling"),
        ("yard", "fixed", "bouncing"),
    ),
}
"""Family, path and process of each world."""


@dataclass(frozen=True)
class Preset:
    name: str
    severities: tuple[float, ...]
    size: tuple[int, int]
    frames: int
    fps: float
    worlds: int | None = None
    """The first so many of the kind, all when left out. At least 6: with fewer no sign-flip test reaches 95 %."""
    faults: tuple[str, ...] = tuple(FAULTS)
    kind: Kind = "returns"
    first_seed: int = 500

    @property
    def folder(self) -> str:
        """Name of the folder for what it measures."""
        return self.name if self.kind == "returns" else f"{self.kind}-{self.name}"

    def blocks(self) -> list[Block]:
        places = _PLACES[self.kind][: self.worlds]
        return [Block(self.first_seed + k, *place, self.size, self.frames, self.fps) for k, place in enumerate(places)]

    def subjects(self) -> list[Subject]:
        return [Subject(), *(Subject(fault, s) for fault in self.faults for s in self.severities)]


SMALL = Preset("small", (0.25, 0.5, 1.0), (224, 126), 33, 10.0)
QUICK = Preset("quick", (1.0,), (192, 108), 33, 10.0, worlds=6)
PRESETS = {preset.name: preset for preset in (SMALL, QUICK)}


def choose_preset(name: str, faults: Sequence[str] = (), kind: str = "returns") -> Preset:
    """A preset by name on one kind of worlds, with only the named faults where some are named."""
    preset = pick("preset", name, PRESETS)
    for fault in faults:
        pick("fault", fault, FAULTS)
    chosen = pick("kind of worlds", kind, {k: k for k in get_args(Kind)})
    fitting = [name for name in preset.faults if chosen == "returns" or not FAULTS[name].unseen]
    return replace(preset, kind=chosen, faults=tuple(dict.fromkeys(faults or fitting)))
