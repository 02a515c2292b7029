"""Parity checks of world specifications and model inputs. Each gets inputs, recorded outputs and tolerance."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from worldgauge.benchmarks.worldscore.data.cases import read_dataset
from worldgauge.benchmarks.worldscore.data.importer import find_videos
from worldgauge.benchmarks.worldscore.data.mask_files import read_mask
from worldgauge.benchmarks.worldscore.data.worlds import WorldSpec
from worldgauge.benchmarks.worldscore.formulas.image_fit import crop_and_resize, crop_box, squashed
from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import (
    INTRA_LAYOUTS,
    anchor_frames,
    interpolate,
    keyframes,
    saved_cameras,
    total_frames,
)
from worldgauge.benchmarks.worldscore.inputs import prompts
from worldgauge.benchmarks.worldscore.inputs.cameras import camera_matrices, focal_length
from worldgauge.benchmarks.worldscore.parity.metrics import status_of
from worldgauge.benchmarks.worldscore.parity.registered import official
from worldgauge.benchmarks.worldscore.signals.weightless import mask_files_of
from worldgauge.core.case import Case
from worldgauge.core.reading import validated
from worldgauge.parity import expect_close, expect_equal

Stored = dict[str, Any]


def trajectory(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    if "raises" in recorded:
        return status_of(lambda: keyframes(given["camera_path"]))
    speed = given["camera_speed"]
    keys = keyframes(given["camera_path"], speed)
    ours = {"cameras": saved_cameras(keys), "cameras_interp": saved_cameras(interpolate(keys, given["frames_F"]))}
    expect_equal("focal length", focal_length(), recorded["focal_length"])
    for name, matrices in ours.items():
        expect_close(name, matrices[:, :3, :3], recorded[name][:, :3, :3], tolerance["abs_rotation"])
        allowed = tolerance["abs_translation_times_camera_speed"] * speed
        expect_close(name, matrices[:, :3, 3], recorded[name][:, :3, 3], allowed)
    return None


def object_masks(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    from PIL import Image

    array = np.asarray(given["array"], np.uint8)
    with TemporaryDirectory() as name:
        root = Path(name)
        folder = root / "masks"
        folder.mkdir()
        Image.fromarray(array).save(folder / "b-2.png")
        Image.fromarray(array > 0).save(folder / "a-10.png")
        Image.fromarray(np.repeat(array[..., None], 3, axis=2)).save(folder / "a-9.png")
        (folder / "c.txt").write_text("text")
        Image.fromarray(array).save(folder / "d.PNG")
        Image.fromarray(np.full_like(array, 200)).save(folder / "e.jpg")
        masks = [read_mask(file) for file in mask_files_of(_dynamic_case(root, "masks/a-9.png"))]
    # The original keeps a colour mask's channels as a third axis; we take the union of its channels.
    channels = [shape[2] if len(shape) == 3 else 1 for shape in recorded["shapes"]]
    expect_equal("objects", list(range(len(masks))), recorded["object_ids"])
    expect_equal("sizes", [list(mask.shape) for mask in masks], [shape[:2] for shape in recorded["shapes"]])
    counts = [int(mask.sum()) * count for mask, count in zip(masks, channels, strict=True)]
    expect_equal("pixels", counts, recorded["true_counts"])
    return None


def _dynamic_case(root: Path, mask: str) -> Case:
    """The case that a run has of a dynamic world whose record lists one mask."""
    record = {
        "visual_movement": "dynamic",
        "visual_style": "photorealistic",
        "style": "photorealistic",
        "motion_type": "rigid",
        "camera_path": ["fixed"],
        "prompt": "The ball rolls",
        "image": "images/000.jpg",
        "masks": [mask],
    }
    (root / "dynamic").mkdir()
    (root / "dynamic" / "dynamic.json").write_text(json.dumps([record]))
    return read_dataset(root)[0]


def frame_count(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    """A video of the official tree that is not as long as its `image_data.json` says."""
    from PIL import Image

    with TemporaryDirectory() as name:
        case = Case(id="static/world")
        frames = Path(name) / case.id / "frames"
        frames.mkdir(parents=True)
        (frames.parent / "image_data.json").write_text(json.dumps({"total_frames": given["total_frames"]}))
        for number in range(given["n_frames"]):
            Image.new("RGB", (64, 48)).save(frames / f"{number:03d}.png")
        return status_of(lambda: find_videos(Path(name), [case]).videos[case.id].info)


def crop(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    from PIL import Image

    size = tuple(given["resolution_WH"])
    if "image" not in given:
        box = crop_box(tuple(given["image_WH"]), size)
        expect_equal("box", list(box), recorded["crop_box_left_top_right_bottom"])
        return None
    image = Image.fromarray(given["image"])
    if given["mode"] == "P":
        image = Image.frombytes("P", image.size, image.tobytes())
    expect_equal("box", list(crop_box(image.size, size)), recorded["crop_box_left_top_right_bottom"])
    if recorded.get("output_all_zero"):
        return status_of(lambda: crop_and_resize(image, size))
    fitted = crop_and_resize(image, size)
    expect_equal("mode", fitted.mode, recorded["output_mode"])
    expect_equal("size", list(fitted.size), recorded["output_size_WH"])
    if "pixels" in recorded:
        expect_close("pixels", np.asarray(fitted), recorded["pixels"], tolerance["pixels_abs"])
    return None


def tracker_size(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    tracker, (width, height) = official("poses"), given["frame_WH"]
    across, down = tracker.working_size(width, height)
    expect_equal("size", [3, down, across], recorded["tensor_CHW"])
    intrinsics = tracker.intrinsics(tracker.assumed_lens((width, height)))
    expect_close("intrinsics", intrinsics, recorded["intrinsics_fx_fy_cx_cy"], tolerance["intrinsics_abs"])
    return None


def tracker_pixels(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    blue_first = np.ascontiguousarray(given["image_rgb_uint8"][..., ::-1])
    pixels = official("poses").prepared(blue_first).transpose(2, 0, 1)
    expect_equal("size", list(pixels.shape), recorded["tensor_CHW"])
    expect_close("pixels", pixels[:, ::16, ::16], recorded["subsampled_16"], tolerance["abs"])
    return None


def quality_pixels(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    pixels = squashed(given["image_rgb_uint8"]).transpose(2, 0, 1) / 255.0
    expect_equal("size", list(pixels.shape), recorded["shape"])
    expect_close("pixels", pixels[:, ::16, ::16], recorded["subsampled_16"], tolerance["abs"])
    return None


def model_inputs(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    if "raises" in recorded:
        return status_of(lambda: validated(WorldSpec, given["record"], "the record"))
    world, kind, frames = WorldSpec.model_validate(given["record"]), given["generate_type"], given["frames_F"]
    scenes = world.scenes
    texts = world.prompts_for(kind)
    images = prompts.conditioning_images(scenes, kind)
    total = total_frames(scenes, frames)
    joints = [0, frames - 1, *([frames, total - 1] if scenes > 1 else [])]
    # The released helper also keeps the last frame of the last clip.
    files = ["input_image.png", *(f"input_image_{i}.png" for i in range(1, scenes + 1))][
        : scenes + 1 if kind == "i2v" else 1
    ]
    static = world.visual_movement == "static"
    data = world.image_data(frames)
    ours = {
        "prompts_with_style": world.styled_prompts(),
        "generator_calls_prompt_and_image": [list(call) for call in zip(texts, images, strict=True)],
        "num_scenes": scenes,
        "total_frames": total,
        "anchor_frame_idx": anchor_frames(scenes, frames) if static else None,
        "saved_frames": total,
        "first_last_frame_name": ["000.png", f"{total - 1:03d}.png"],
        "frame_source_clip_and_index_at_clip_joints": [list(prompts.frame_source(i, frames)) for i in joints],
        "output_dir_relative": world.folder,
        "image_data_extra_keys": {k: data.get(k) for k in ("num_scenes", "total_frames", "anchor_frame_idx")},
        "camera_data_written": static,
        "other_files": files,
    }
    for key, value in recorded.items():
        expect_equal(key, ours[key], value)
    return None


def model_inputs_3d(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    world, frames = WorldSpec.model_validate(given["record"]), given["frames_F"]
    keys = keyframes(world.camera_path, given["camera_speed"])
    ours = {
        "prompts": world.prompts_for("3d"),
        "total_frames": total_frames(world.scenes, frames),
        "anchor_frame_idx": anchor_frames(world.scenes, frames),
        "cameras_shape": list(keys.shape),
        "cameras_interp_shape": list(interpolate(keys, frames).shape),
    }
    expect_equal("data point", ours, recorded)
    return None


def layout_text(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    layout = given["layout"]
    expect_equal("text", prompts.camera_text(layout), recorded["prompt"])
    kind = "camera fix" if layout == "fixed" else "intra" if layout in INTRA_LAYOUTS else "inter"
    expect_equal("type", kind, recorded["layout_type"])
    return None


def camera_types(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    matrices = camera_matrices(given["camera_path"], given["frames_F"], given["camera_speed"], given["camera_type"])
    expect_close("matrices", matrices[:: given["every"]], recorded["matrices"], tolerance["abs"])
    return None
