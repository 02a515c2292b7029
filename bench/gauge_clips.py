"""Many small gauge blocks: few worlds, rendered once, and a mark in each clip that makes its bytes its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from worldgauge.blocks.block import Block
from worldgauge.media.encoder import write_video

_WORLDS = (("room", "away_left", "rolling"), ("street", "fixed", "crossing"))


def write_gauge_clips(folder: Path, count: int, frames: int = 3) -> Path:
    """`case-NNN.mkv`, each a piece of one of the worlds."""
    folder.mkdir(parents=True)
    size = {"size": (96, 54), "frames": 25, "fps": 5.0}
    worlds = [Block(2, *names, **size).render().frames for names in _WORLDS]  # type: ignore[arg-type]
    for number in range(count):
        world = worlds[number % len(worlds)]
        first = number // len(worlds) % (len(world) - frames)
        clip = world[first : first + frames].copy()
        clip[:, :2, :2] = np.array([number >> 8, number & 255, 128], np.uint8)
        write_video(folder / f"case-{number:03d}.mkv", clip, fps=5)
    return folder
