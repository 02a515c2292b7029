"""How much to measure: worlds, faults and severities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args

from worldgauge.blocks.block import Block
from worldgauge.blocks.choose import Choice, choose_blocks
from worldgauge.blocks.faults import FAULTS
from worldgauge.blocks.names import pick
from worldgauge.blocks.paths import LAYOUTS
from worldgauge.blocks.processes import MOTIONS
from worldgauge.blocks.subjects import Subject
from worldgauge.core.gauge import Kind

_DECKS: dict[Kind, Choice] = {
    # The away-and-back paths on which the camera turns in place: their poses take seconds.
    "returns": Choice(paths=("away_left", "away_right", "tilt", "head_turn", "exit_wait_reenter")),
    "layouts": Choice(paths=LAYOUTS),
    # Where nothing else moves, the target must: the slow state changes leave a fixed picture almost as it is.
    "fixed": Choice(paths=("fixed",), processes=(*MOTIONS,)),
}
"""What the worlds of each kind are dealt from; every family, and every process unless some are named."""
_WORLDS: dict[Kind, int] = {"returns": 8, "layouts": 16, "fixed": 8}
"""Worlds of each kind; layouts come twice each."""
FIRST_SEEDS: dict[Kind, int] = {"returns": 13000, "layouts": 13100, "fixed": 13200}
"""Decks of their own, or every kind would be dealt the same families and processes. Nothing was tuned on them."""


@dataclass(frozen=True)
class Preset:
    name: str
    severities: tuple[float, ...]
    size: tuple[int, int]
    frames: int
    fps: float
    worlds: int | None = None
    """How many of the kind; 8 or, for layouts, 16 when left out. With fewer than 6 no sign-flip test reaches 95 %."""
    faults: tuple[str, ...] = tuple(FAULTS)
    kind: Kind = "returns"
    first_seed: int | None = None
    """Of the worlds; the kind's own when left out."""

    @property
    def folder(self) -> str:
        """Name of the folder for what it measures."""
        return self.name if self.kind == "returns" else f"{self.kind}-{self.name}"

    def blocks(self) -> list[Block]:
        """Dealt from the kind's decks; fewer worlds are the first ones of more."""
        choice = replace(_DECKS[self.kind], size=self.size, frames=self.frames, fps=self.fps)
        first = FIRST_SEEDS[self.kind] if self.first_seed is None else self.first_seed
        return choose_blocks(self.worlds or _WORLDS[self.kind], first, choice)

    def subjects(self) -> list[Subject]:
        return [Subject(), *(Subject(fault, s) for fault in self.faults for s in self.severities)]


SMALL = Preset("small", (0.25, 0.5, 1.0), (224, 126), 33, 10.0)
_LIKE_ANOTHER = {
    "wrong_action": "frozen_camera", "teleport": "state_reset", "chunk_reset": "state_reset", "noise": "blur",
    "pass_through": "still_life", "floating": "still_life", "compression": "blur", "frame_drops": "stutter",
    "speed_change": "loop", "mirror": "time_reversal", "flash": "flicker",
}  # fmt: skip
"""Faults that a quick calibration leaves out, and the one of the same sort that it keeps."""
QUICK = Preset(
    "quick",
    (1.0,),
    (192, 108),
    33,
    10.0,
    worlds=6,
    faults=tuple(fault for fault in FAULTS if fault not in _LIKE_ANOTHER),
)
PRESETS = {preset.name: preset for preset in (SMALL, QUICK)}


def choose_preset(name: str, faults: Sequence[str] = (), kind: str = "returns") -> Preset:
    """A preset by name on one kind of worlds, with only the named faults where some are named."""
    preset = pick("preset", name, PRESETS)
    for fault in faults:
        pick("fault", fault, FAULTS)
    chosen = pick("kind of worlds", kind, {k: k for k in get_args(Kind)})
    fitting = [name for name in preset.faults if chosen == "returns" or not FAULTS[name].unseen]
    return replace(preset, kind=chosen, faults=tuple(dict.fromkeys(faults or fitting)))
