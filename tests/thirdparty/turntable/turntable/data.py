"""The official files: `turntable.json`, angles in `.turn` files, masks in `.rle` files, videos `<case>_out.mkv`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from worldgauge import (
    CameraPath,
    Case,
    Condition,
    Convention,
    InvalidVideo,
    ModelCard,
    Reference,
    Submission,
    Target,
    Video,
    WorldGaugeError,
)

LIST = "turntable.json"
CONVENTION = Convention(
    "world-to-camera; x right, y up, z backward",
    camera=((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)),
    world_to_camera=True,
)


def read_cases(root: Path) -> list[Case]:
    """One case per entry of the list; a disc's two speeds are one cluster."""
    file = root / LIST
    if not file.is_file():
        raise WorldGaugeError(f"{root} holds no {LIST}", "name the folder of the data set")
    return [
        Case(
            id=entry["id"],
            cluster=entry["disc"],
            condition=Condition(prompt=entry["prompt"], camera=f"{entry['id']}.turn"),
            reference=Reference(target=Target(name="disc", mask=f"{entry['disc']}.rle")),
            tags={"disc": entry["disc"]},
            extras={"pixels_per_degree": entry["pixels_per_degree"]},
        ).at(root)
        for entry in json.loads(file.read_text("utf-8"))
    ]


def find_videos(folder: Path, cases: list[Case]) -> Submission:
    found = {case.id: Video(folder / f"{case.id}_out.mkv") for case in cases}
    return Submission(ModelCard(name=folder.name), {key: video for key, video in found.items() if video.path.exists()})


def read_turns(path: Path) -> CameraPath:
    """One angle about the vertical per line, in degrees."""
    angles = np.radians([float(line) for line in path.read_text("utf-8").split()])
    poses = np.tile(np.eye(4), (len(angles), 1, 1))
    poses[:, 0, 0] = poses[:, 2, 2] = np.cos(angles)
    poses[:, 0, 2] = np.sin(angles)
    poses[:, 2, 0] = -np.sin(angles)
    return CameraPath(poses)


def read_mask(path: Path) -> np.ndarray:
    """`width height`, then pairs of first pixel and length, row by row."""
    width, height, *runs = (int(number) for number in path.read_text("utf-8").split())
    mask = np.zeros(width * height, bool)
    for start, length in zip(runs[::2], runs[1::2], strict=True):
        mask[start : start + length] = True
    if not mask.any():
        raise InvalidVideo(f"{path} is an empty mask")
    return mask.reshape(height, width)
