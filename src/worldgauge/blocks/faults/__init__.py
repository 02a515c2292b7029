"""Faults: the ways in which a world model can fail, each with a dial from 0 (none) to 1."""

from __future__ import annotations

from worldgauge.blocks.faults import camera, clock, pictures, scenery, target
from worldgauge.blocks.faults.base import Fault, Given, Move, Shown, Stay
from worldgauge.core.gauge import Quality

FAULTS: dict[str, type[Fault]] = {
    fault.name: fault
    for fault in (
        camera.FrozenCamera, target.Vanish, target.IdentityDrift, clock.StateReset, target.Teleport,
        scenery.BackgroundSwap, camera.CameraDrift, camera.WrongAction, pictures.Flicker, pictures.LightingDrift,
        pictures.StyleDrift, scenery.GeometryWobble, pictures.Stutter, pictures.Blur, pictures.Noise,
        pictures.Compression, target.Floating, target.PassThrough, clock.ChunkReset, clock.StillLife,
    )
}  # fmt: skip
"""In the order of the specification's table."""

__all__ = ["FAULTS", "Fault", "Given", "Move", "Quality", "Shown", "Stay"]
