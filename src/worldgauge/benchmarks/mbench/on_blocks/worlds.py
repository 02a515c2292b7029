"""Which blocks the scores are held against."""

from __future__ import annotations

from dataclasses import dataclass, replace

from worldgauge.blocks.block import Block
from worldgauge.blocks.choose import Choice, choose_blocks
from worldgauge.blocks.paths import LAYOUTS
from worldgauge.blocks.subjects import Subject

SIZE, FRAMES, FPS = (160, 90), 25, 8.0
WORLDS = 16
"""Of each set."""
_OUT_AND_BACK = ("away_left", "away_right", "exit_wait_reenter")
DOSES: dict[str, tuple[float, ...]] = {
    # At 0.25 the target stands beside its own place: farther away it cannot look less like itself there.
    "teleport": (0.02, 0.05, 0.1, 0.25),
    "geometry_wobble": (0.25, 0.5, 1.0),
    # A target that comes back late has come back.
    "vanish": (1.0,),
    **dict.fromkeys(("background_swap", "flicker", "frozen_camera", "still_life"), (1.0,)),
}
"""Severities of some faults; of others: `USUAL`."""
USUAL = (0.5, 1.0)


@dataclass(frozen=True)
class WorldSet:
    """Worlds of one kind, dealt from decks."""

    name: str
    kind: str
    """As calibration calls it: returns, layouts or fixed."""
    says: str
    choice: Choice
    first_seed: int

    def blocks(self, count: int = WORLDS) -> list[Block]:
        """Fewer worlds are the first ones of more."""
        choice = replace(self.choice, size=SIZE, frames=FRAMES, fps=FPS)
        return choose_blocks(count, self.first_seed, choice)


SETS = {
    made.name: made
    for made in (
        WorldSet(
            "returns",
            "returns",
            "the camera turns away from a mannequin that stands still, and back by the same way",
            Choice(processes=("standing",), paths=_OUT_AND_BACK),
            700,
        ),
        WorldSet(
            "marked",
            "returns",
            "the camera turns away from a mannequin that stands still, in paint that nowhere repeats, and back",
            Choice(processes=("standing_marked",), paths=_OUT_AND_BACK),
            700,
        ),
        WorldSet(
            "marked_beside",
            "returns",
            "the same mannequin, but the camera comes back one step beside where it was",
            Choice(processes=("standing_marked",), paths=("back_beside",)),
            720,
        ),
        WorldSet(
            "marked_above",
            "returns",
            "the same mannequin, but the camera comes back one step above where it was",
            Choice(processes=("standing_marked",), paths=("back_above",)),
            740,
        ),
        WorldSet(
            "processes",
            "returns",
            "the camera turns away from something that melts, drains, drives or swings, and back",
            Choice(
                processes=(
                    "melting", "inflating", "draining", "burning", "crossing", "pendulum", "windmill", "conveyor",
                ),
                paths=_OUT_AND_BACK,
            ),
            740,
        ),
        WorldSet(
            "layouts",
            "layouts",
            "the camera goes one simple way around a mannequin",
            Choice(processes=("standing",), paths=LAYOUTS),
            760,
        ),
        WorldSet(
            "hidden",
            "fixed",
            "the camera stands still, and a screen or the dark hides something that changes",
            Choice(
                processes=(
                    "melting", "inflating", "draining", "burning", "mixing", "windmill", "foaming", "dissolving",
                ),
                paths=("behind_screen", "lights_out"),
            ),
            780,
        ),
    )
}  # fmt: skip


def subjects_of(faults: tuple[str, ...]) -> list[Subject]:
    """The oracle, and every fault at each of its severities."""
    return [Subject(), *(Subject(fault, severity) for fault in faults for severity in DOSES.get(fault, USUAL))]
