"""Writing what a model needs: one folder per world, laid out as the official tree, ready to take the frames."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.worldscore.data.cases import read_worlds
from worldgauge.benchmarks.worldscore.data.worlds import WorldSpec
from worldgauge.benchmarks.worldscore.formulas.image_fit import crop_and_resize
from worldgauge.benchmarks.worldscore.formulas.protocols import Protocol
from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import layout_path, total_frames
from worldgauge.benchmarks.worldscore.inputs.cameras import (
    CameraType,
    camera_data,
    camera_matrices,
    fixed_matrices,
    focal_length,
)
from worldgauge.benchmarks.worldscore.inputs.prompts import CameraTold, ModelKind, conditioning_images, usual_camera
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading_pictures import read_picture

INDEX = "inputs.json"


def write_inputs(
    data: Path,
    out: Path,
    kind: ModelKind,
    size: tuple[int, int],
    frames: int,
    *,
    where: dict[str, str] | None = None,
    camera: CameraTold | None = None,
    speed: float = 1.0,
    camera_type: CameraType = "tensor",
    protocol: Protocol = "released",
) -> list[dict[str, Any]]:
    """Write every world of the data set that has the tags `where`; returns the entries of `inputs.json`.

    3D models do not make dynamic worlds, so these are left out for them. `protocol` decides which prompt a layout gets
    that stays in its scene; `camera` whether the path is told in the prompt or written as matrices beside it.
    """
    told = camera or usual_camera(kind, protocol)
    folder, worlds = read_worlds(data)
    chosen = [world for world in worlds if _fits(world, where or {}, kind)]
    if not chosen:
        raise WorldGaugeError(f"no world has {where}", "look at the tags with 'worldgauge show'")
    entries = []
    for world in chosen:
        target = out / world.folder
        target.mkdir(parents=True, exist_ok=True)
        _write_image(folder / world.image, target / "input_image.png", size)
        _write_json(target / "image_data.json", world.image_data(frames))
        if world.visual_movement == "static":
            _write_json(target / "camera_data.json", camera_data(world.camera_path, frames, speed))
            layout_path(world.camera_path, frames, speed).save(target / "cameras_opencv.npz")
        if told == "matrices":
            _write_matrices(world, target, frames, speed, camera_type)
        entries.append(_entry(world, kind, size, frames, protocol, told))
    _write_json(out / INDEX, entries)
    return entries


def _fits(world: WorldSpec, where: dict[str, str], kind: ModelKind) -> bool:
    if kind == "3d" and world.visual_movement == "dynamic":
        return False
    tags = world.tags()
    return all(tags.get(tag) == value for tag, value in where.items())


def _entry(
    world: WorldSpec, kind: ModelKind, size: tuple[int, int], frames: int, protocol: Protocol, camera: CameraTold
) -> dict[str, Any]:
    total = total_frames(world.scenes, frames)
    return {
        "id": world.folder,
        "prompts": world.prompts_for(kind, protocol, camera),
        "images": conditioning_images(world.scenes, kind) if kind != "3d" else ["input_image.png"],
        "layouts": list(world.camera_path),
        "camera": camera,
        "size": list(size),
        "frames_per_clip": frames,
        "total_frames": total,
        "output": f"{world.folder}/frames/000.png .. {total - 1:03d}.png",
    }


def _write_matrices(world: WorldSpec, target: Path, frames: int, speed: float, camera_type: CameraType) -> None:
    """The path as a model wants it that takes poses; the camera of a dynamic world stands still."""
    if world.visual_movement == "dynamic":
        matrices = fixed_matrices(frames, camera_type)
    else:
        matrices = camera_matrices(world.camera_path, frames, speed, camera_type)
    content = {"camera_type": camera_type, "focal_length": focal_length(), "matrices": matrices.tolist()}
    _write_json(target / "cameras_model.json", content)


def _write_image(source: Path, target: Path, size: tuple[int, int]) -> None:
    crop_and_resize(read_picture(source), size).save(target)


def _write_json(file: Path, content: dict[str, Any] | Sequence[Any]) -> None:
    file.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
