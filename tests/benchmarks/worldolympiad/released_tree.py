"""A small tree in the released layout: every frame is of one grey, which tells its number."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from worldgauge.media.encoder import write_video

FPS, FRAMES = 8.0, 48
CASES = {"general/c1": 3, "gaming/c2_part1": 1, "embodied/c3_episode_4": 7}
"""Folder to its number of chunks."""
MODELS = ("longlive", "wow")


def numbered(count: int = FRAMES, size: tuple[int, int] = (64, 48), corner: int = 0) -> NDArray[np.uint8]:
    """Frame k is grey, 16 + 4 k, but for a corner that tells whose clip it is: no two files are alike."""
    frames = np.stack([np.full((size[1], size[0], 3), 16 + 4 * k, np.uint8) for k in range(count)])
    frames[:, -16:, -16:] = corner
    return frames


def number_of(frame: NDArray[np.uint8]) -> int:
    """The number of a frame, from its grey in the middle, where no box is drawn."""
    return round((float(frame[20:28, 24:40].mean()) - 16) / 4)


def counted_film(count: int, corner: int) -> NDArray[np.uint8]:
    """Frames (count, 48, 64, 3) that show their number in two greys, tens on the left and units on the right, a bright
    thing on the upper left, and whose clip it is in the lower right corner."""
    frames = np.zeros((count, 48, 64, 3), np.uint8)
    for number, frame in enumerate(frames):
        frame[:, :32], frame[:, 32:] = 16 + 20 * (number // 10), 16 + 20 * (number % 10)
        frame[5:10, 5:13] = 255
    frames[:, -16:, -16:] = corner
    return frames


def write_case(folder: Path, chunks: int, models: tuple[str, ...] = MODELS) -> None:
    folder.mkdir(parents=True)
    seconds = FRAMES / FPS / chunks
    prompts = [
        {
            "interval": f"[00:{10 * k:02d}, 00:{10 * k + 10:02d})",
            "action": "W" if k % 2 else "None",
            "caption": f"part {k} of {folder.name}",
        }
        for k in range(chunks)
    ]
    (folder / "prompt.json").write_text(json.dumps(prompts))
    write_video(folder / f"ref_{folder.name}.mp4", numbered(), fps=FPS)
    for model in models:
        stem = f"{model}_gen_{folder.name}"
        write_video(folder / f"{stem}.mp4", numbered(corner=sum(stem.encode()) % 200), fps=FPS)
        times = [
            {"chunk_index": k, "generated_start_sec": k * seconds, "generated_end_sec": (k + 1) * seconds}
            for k in range(chunks)
        ]
        declared = {"version": 1, "fps": FPS, "total_frames": FRAMES, "duration_sec": FRAMES / FPS, "chunks": times}
        (folder / f"{stem}_chunk_timestamps.json").write_text(json.dumps(declared))


def write_tree(root: Path, cases: dict[str, int] | None = None) -> Path:
    for name, chunks in (cases or CASES).items():
        write_case(root / "outputs_batch" / name, chunks)
    return root / "outputs_batch"
