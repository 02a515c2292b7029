"""Faults: the ways in which a world model can fail, each with a dial from 0 (none) to 1."""

from __future__ import annotations

from worldgauge.blocks.faults import camera, clock, glitches, pictures, scenery, target, timing
from worldgauge.blocks.faults.base import Fault, Given, Move, Shown, Stay
from worldgauge.core.gauge import Quality

FAULTS: dict[str, type[Fault]] = {
    fault.name: fault
    for fault in (
        camera.FrozenCamera, target.Vanish, target.IdentityDrift, clock.StateReset, target.Teleport,
        scenery.BackgroundSwap, camera.CameraDrift, camera.WrongAction, pictures.Flicker, pictures.LightingDrift,
        pictures.StyleDrift, scenery.GeometryWobble, pictures.Stutter, pictures.Blur, pictures.Noise,
        pictures.Compression, target.Floating, target.PassThrough, clock.ChunkReset, clock.StillLife,
        camera.HandShake, timing.TimeReversal, timing.SpeedChange, timing.Loop, timing.FrameDrops,
        glitches.Flash, glitches.Mirror, glitches.Ghosting, glitches.Banding,
    )
}  # fmt: skip
"""The world's faults first, those of the footage last."""

__all__ = ["FAULTS", "Fault", "Given", "Move", "Quality", "Shown", "Stay"]
