"""Made clips and references as folders of frames: a texture that drifts, and a patch that moves on it."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

SHORT = 33


@dataclass(frozen=True)
class Shape:
    """Frames and size of the clips and of their references."""

    frames: int = 81
    size: tuple[int, int] = (832, 480)
    reference_frames: int = 300
    reference_size: tuple[int, int] = (1920, 1080)


def make(folder: Path, count: int, shape: Shape, short: int = 0) -> tuple[dict[str, Path], dict[str, Path]]:
    """Folders of PNG frames and, for references, of JPEG frames, by the clips' names. The first `short` of them have
    a few frames only: enough to see every network once."""
    names = [f"clip-{number:03d}" for number in range(count)]
    clips = {name: folder / "clips" / name for name in names}
    references = {name: folder / "references" / name for name in names}

    def length(number: int, frames: int) -> int:
        return min(frames, SHORT) if number < short else frames

    # The long ones first, so that no process is left alone with one.
    sizes = (shape.reference_size, ".jpg")
    jobs = [(k, references[name], length(k, shape.reference_frames), *sizes) for k, name in enumerate(names)]
    jobs += [(k, clips[name], length(k, shape.frames), shape.size, ".png") for k, name in enumerate(names)]
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        list(pool.map(_write, jobs))
    return clips, references


def _write(job: tuple[int, Path, int, tuple[int, int], str]) -> None:
    import cv2
    import numpy as np

    seed, folder, frames, (width, height), suffix = job
    if folder.is_dir():
        return
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    wide, high = width + width // 3, height + height // 6
    layers = [cv2.resize(rng.normal(size=(high // s, wide // s, 3)), (wide, high)) * s**0.5 for s in (2, 8, 32, 96)]
    texture = sum(layers)
    texture = np.clip(128 + texture * (50 / texture.std()), 0, 255).astype(np.uint8)
    patch = np.clip(rng.normal(120, 50, 3), 0, 255)
    side = height // 5
    temporary = folder.with_name(f".{folder.name}")
    temporary.mkdir(parents=True, exist_ok=True)
    for k in range(frames):
        share = k / max(1, frames - 1)
        x, y = int(share * (wide - width)), int((0.5 + 0.5 * np.sin(6 * share)) * (high - height))
        frame = texture[y : y + height, x : x + width].copy()
        left, top = int((0.1 + 0.7 * share) * (width - side)), int((0.3 + 0.2 * share) * (height - side))
        frame[top : top + side, left : left + side] = patch
        flags = [cv2.IMWRITE_PNG_COMPRESSION, 1] if suffix == ".png" else [cv2.IMWRITE_JPEG_QUALITY, 92]
        cv2.imwrite(str(temporary / f"{k:05d}{suffix}"), frame, flags)
    temporary.replace(folder)
