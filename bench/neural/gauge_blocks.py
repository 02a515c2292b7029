"""Gauge blocks for the study: rendered where the renderer is, carried as small films, made into clips where the GPU is.

python -m bench.neural.gauge_blocks FOLDER [COUNT] renders them.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

SIZE, FRAMES, FPS = (448, 256), 17, 4.0


def render(folder: Path, count: int) -> None:
    """Films of `count` blocks of every family, process and path; those that are there are kept."""
    from worldgauge.blocks.choose import Choice, choose_blocks
    from worldgauge.core.errors import WorldGaugeError
    from worldgauge.media.encoder import write_video

    folder.mkdir(parents=True, exist_ok=True)
    for number, block in enumerate(choose_blocks(count, 0, Choice(size=SIZE, frames=FRAMES, fps=FPS))):
        film = folder / f"block-{number:03d}.mp4"
        if film.is_file():
            continue
        try:
            write_video(film, block.render().frames, FPS, crf=24)
        except WorldGaugeError as error:
            print(f"{film.name}: {error}", flush=True)


def clips_of(films: Path, folder: Path, count: int) -> tuple[dict[str, Path], dict[str, Path]]:
    """References as the films have them, and clips in which noise, blur and a wrong brightness come and go."""
    chosen = sorted(films.glob("*.mp4"))[:count]
    clips = {film.stem: folder / "clips" / film.stem for film in chosen}
    references = {film.stem: folder / "references" / film.stem for film in chosen}
    jobs = [(film, clips[film.stem], references[film.stem], number) for number, film in enumerate(chosen)]
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        list(pool.map(_write, jobs))
    return clips, references


def _write(job: tuple[Path, Path, Path, int]) -> None:
    import cv2
    import numpy as np

    film, clip, reference, seed = job
    rng = np.random.default_rng(seed)
    strength = rng.uniform(0.2, 1.5)
    opened = cv2.VideoCapture(str(film))
    for folder in (clip, reference):
        folder.mkdir(parents=True, exist_ok=True)
    number = 0
    while True:
        there, frame = opened.read()
        if not there:
            return
        cv2.imwrite(str(reference / f"{number:05d}.png"), frame)
        wave = strength * (0.5 + 0.5 * np.sin(number / 3 + seed))
        spoiled = cv2.GaussianBlur(frame.astype(np.float32), (0, 0), 0.3 + wave)
        spoiled = spoiled * (1 - 0.1 * wave) + rng.normal(scale=3 * wave, size=frame.shape)
        cv2.imwrite(str(clip / f"{number:05d}.png"), np.clip(spoiled, 0, 255).astype(np.uint8))
        number += 1


if __name__ == "__main__":
    from bench.neural.here import make_known

    make_known()
    render(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100)
