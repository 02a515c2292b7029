"""What a family of models is told for the chunks of a case. What it cannot do is refused, never replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from worldgauge.benchmarks.worldolympiad.inputs.actions import IDLE, Sideways, verbs_of
from worldgauge.benchmarks.worldolympiad.inputs.families import Family
from worldgauge.benchmarks.worldolympiad.inputs.poses import Floats, motion_of, poses_of
from worldgauge.core.errors import WorldGaugeError

_PARTS = {
    "forward_left": ("forward", "left"),
    "forward_right": ("forward", "right"),
    "backward_left": ("backward", "left"),
    "backward_right": ("backward", "right"),
}


class Unsupported(WorldGaugeError):
    """The model has no way to do what a case asks of it."""


@dataclass(frozen=True)
class PlannedChunk:
    """One chunk of the clip that is asked for."""

    index: int
    caption: str
    action: str
    interval: str
    seconds: tuple[float, float] | None
    """In the reference."""
    first: int
    frames: int
    """In the generated clip."""

    def timed(self, fps: float) -> dict[str, Any]:
        """As it is told to whoever generates."""
        return {
            "chunk_index": self.index,
            "caption": self.caption,
            "action": self.action,
            "interval": self.interval,
            "first_frame": self.first,
            "frames": self.frames,
            "start_sec": self.first / fps,
            "end_sec": (self.first + self.frames) / fps,
        }


def held_verbs(family: Family, action: str, sideways: Sideways) -> tuple[str, ...]:
    """The verbs of one action in the family's spelling; raises `Unsupported` where it has none for it."""
    wanted = verbs_of(action, sideways)
    if wanted == (IDLE,) and IDLE not in family.verbs:
        if family.held:
            return ()
        raise Unsupported(f"{family.title} has no verb for a camera that stands still")
    if family.held:
        wanted = tuple(part for verb in wanted for part in ((verb,) if verb in family.verbs else _PARTS.get(verb, ())))
        wanted = wanted or verbs_of(action, sideways)
    absent = [verb for verb in wanted if verb not in family.verbs]
    if absent:
        raise Unsupported(f"{family.title} has no '{', '.join(absent)}', which the action {action} means")
    if not family.held and len(wanted) > 1 and family.joined:
        return (family.joined.join(family.spelled.get(verb, verb) for verb in wanted),)
    if not family.held and len(wanted) > 1:
        raise Unsupported(f"{family.title} does one thing after another, and {action} means {' and '.join(wanted)}")
    if family.most_held is not None and len(wanted) > family.most_held:
        raise Unsupported(f"{family.title} does {family.most_held} thing at a time, and {action} means {len(wanted)}")
    return tuple(family.spelled.get(verb, verb) for verb in wanted)


def controls(family: Family, chunks: Sequence[PlannedChunk], sideways: Sideways) -> dict[str, Any]:
    """What is told beside first frame and captions, as plain data; poses are in a file of their own."""
    if family.control == "captions":
        told: dict[str, Any] = {"kind": "captions"}
        if family.merged is not None:
            prompt = " ".join(chunk.caption.strip() for chunk in chunks)
            told |= {"prompt": prompt[: family.merged], "cut": max(0, len(prompt) - family.merged)}
        return told
    if family.control == "poses":
        return {"kind": "poses", "forward_per_frame": family.forward, "degrees_per_frame": family.turn}
    verbs = [held_verbs(family, chunk.action, sideways) for chunk in chunks]
    if family.call == "chunk":
        return {"kind": "verbs", "calls": [list(one) for one in verbs]}
    # A list that is split evenly keeps the lengths of chunks only if longer ones stand in it more often.
    listed = [
        verb
        for held, chunk in zip(verbs, chunks, strict=True)
        for verb in held * max(1, round(chunk.frames / family.per_verb))
    ]
    return {"kind": "verbs", "interactions": listed, "frames_per_verb": family.per_verb}


def camera_poses(family: Family, chunks: Sequence[PlannedChunk], sideways: Sideways) -> Floats:
    """Poses (N, 4, 4) of every frame of the clip."""
    forward, turn = family.forward or 0.0, family.turn or 0.0
    motions = [(motion_of(verbs_of(chunk.action, sideways), forward, turn), chunk.frames) for chunk in chunks]
    return poses_of(motions)
