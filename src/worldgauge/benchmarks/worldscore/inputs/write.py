"""Writing what a model needs: one folder per world, laid out as the official tree, ready to take the frames."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.worldscore.data.cases import as_case, read_worlds
from worldgauge.benchmarks.worldscore.data.worlds import WorldSpec
from worldgauge.benchmarks.worldscore.formulas.image_fit import crop_and_resize
from worldgauge.benchmarks.worldscore.formulas.protocols import Protocol
from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import layout_path, total_frames
from worldgauge.benchmarks.worldscore.inputs.adapters import Adapter
from worldgauge.benchmarks.worldscore.inputs.cameras import (
    CameraType,
    camera_data,
    camera_matrices,
    fixed_matrices,
    focal_length,
)
from worldgauge.benchmarks.worldscore.inputs.prompts import (
    CameraTold,
    ModelKind,
    chain,
    conditioning_images,
    usual_camera,
)
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.model_inputs import WrittenInputs, choose_cases, write_each
from worldgauge.core.reading_pictures import read_picture

INDEX = "inputs.json"


def write_inputs(
    data: Path,
    out: Path,
    kind: ModelKind,
    size: tuple[int, int],
    frames: int,
    *,
    where: Mapping[str, str] | None = None,
    names: Sequence[str] = (),
    camera: CameraTold | None = None,
    speed: float = 1.0,
    camera_type: CameraType = "tensor",
    adapter: Adapter | None = None,
    protocol: Protocol = "released",
) -> WrittenInputs:
    """Write every world of the data set of these `names` with the tags `where`, and `inputs.json` that lists them.

    3D models do not make dynamic worlds, so these are left out for them. `protocol` decides which prompt a layout gets
    that stays in its scene; `camera` whether the path is told in the prompt or written as matrices beside it. Where the
    model has an `adapter` of its own the matrices' file also has what that hands to it.
    """
    told = camera or usual_camera(kind, protocol)
    folder, found = read_worlds(data)
    worlds = {world.folder: world for world in found}

    def write(case: Case) -> dict[str, Any]:
        world = worlds[case.id]
        if kind == "3d" and world.visual_movement == "dynamic":
            raise WorldGaugeError("a 3D model makes no dynamic world")
        target, static = out / world.folder, world.visual_movement == "static"
        # Made before anything is written: a layout may have no trajectory.
        path = layout_path(world.camera_path, frames, speed) if static else None
        matrices = _matrices(world, frames, speed, camera_type, adapter) if told == "matrices" else None
        _write_image(folder / world.image, target / "input_image.png", size)
        _write_json(target / "image_data.json", world.image_data(frames))
        if path is not None:
            _write_json(target / "camera_data.json", camera_data(world.camera_path, frames, speed))
            path.save(target / "cameras_opencv.npz")
        if matrices is not None:
            _write_json(target / "cameras_model.json", matrices)
        return _entry(world, kind, size, frames, protocol, told)

    chosen = choose_cases([as_case(world) for world in found], names, where)
    written = write_each(_makeable(chosen, kind, names), write)
    _write_json(out / INDEX, written.entries)
    written.write_left_out(out)
    return written


def _makeable(cases: Sequence[Case], kind: ModelKind, names: Sequence[str]) -> list[Case]:
    """Without the dynamic worlds where the model makes none, but for those that are requested by name."""
    wanted = set(names)
    kept = [case for case in cases if kind != "3d" or case.tags["movement"] == "static" or case.id in wanted]
    if not kept:
        raise WorldGaugeError("a 3D model makes no dynamic world", "choose static ones: --where movement=static")
    return kept


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
        # How the clips of a large world become one video; a 3D model makes it whole.
        **({"chain": chain(world.scenes, frames)} if world.scenes > 1 and kind != "3d" else {}),
        "output": f"{world.folder}/frames/000.png .. {total - 1:03d}.png",
    }


def _matrices(
    world: WorldSpec, frames: int, speed: float, camera_type: CameraType, adapter: Adapter | None
) -> dict[str, Any]:
    """The path as a model wants it that takes poses; the camera of a dynamic world stands still."""
    static = world.visual_movement == "static"
    if static:
        matrices = camera_matrices(world.camera_path, frames, speed, camera_type)
    else:
        matrices = fixed_matrices(frames, camera_type)
    handed = adapter.cameras(world.camera_path, frames, speed) if adapter is not None and static else {}
    return {"camera_type": camera_type, "focal_length": focal_length(), "matrices": matrices.tolist(), **handed}


def _write_image(source: Path, target: Path, size: tuple[int, int]) -> None:
    if not source.is_file():
        raise WorldGaugeError("the world's picture is not on disk", "download the data set's pictures")
    picture = crop_and_resize(read_picture(source), size)
    # Only now: a case that is left out has no folder.
    target.parent.mkdir(parents=True, exist_ok=True)
    picture.save(target)


def _write_json(file: Path, content: dict[str, Any] | Sequence[Any]) -> None:
    file.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
