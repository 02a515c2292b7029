"""A small Turntable data set and a model's videos for it."""

from __future__ import annotations

import json
from pathlib import Path

import helpers
from worldgauge.media.encoder import write_video

FRAMES, WIDTH, HEIGHT = 5, 64, 48
SPEEDS = {"slow": 1, "fast": 2}
"""Pixels per frame; a degree is a pixel."""


def make_data(folder: Path) -> Path:
    folder.mkdir(parents=True)
    entries = []
    for disc in ("oak", "tin"):
        (folder / f"{disc}.rle").write_text(
            f"{WIDTH} {HEIGHT} " + " ".join(f"{y * WIDTH + 16} 32" for y in range(12, 36))
        )
        for speed, pixels in SPEEDS.items():
            name = f"{disc}-{speed}"
            (folder / f"{name}.turn").write_text("\n".join(str(pixels * i) for i in range(FRAMES)))
            entries.append({"id": name, "disc": disc, "prompt": f"a {disc} disc turns", "pixels_per_degree": 1.0})
    (folder / "turntable.json").write_text(json.dumps(entries))
    return folder


def make_videos(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for seed, disc in enumerate(("oak", "tin")):
        for speed, pixels in SPEEDS.items():
            frames = helpers.moving_texture(FRAMES, WIDTH, HEIGHT, shift=pixels, seed=seed)
            write_video(folder / f"{disc}-{speed}_out.mkv", frames, fps=12)
    return folder
