"""A small data set in the released layout, with pictures of noise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

STATIC = [
    ("photorealistic", "indoor", "dining_spaces", ["move_left"]),
    ("photorealistic", "outdoor", "city", ["push_in"]),
    ("stylized", "indoor", "dining_spaces", ["pan_left", "move_left", "pull_out"]),
]
DYNAMIC = [("photorealistic", "rigid"), ("stylized", "fluid")]


def static_record(number: int, style: str, scene: str, category: str, path: list[str]) -> dict[str, Any]:
    return {
        "visual_movement": "static",
        "visual_style": style,
        "scene_type": scene,
        "category": "ignored",
        "style": "photorealistic" if style == "photorealistic" else "ukiyo-e",
        "camera_path": path,
        "content_list": [f"Scene {i}, red chair, lamp" for i in range(len(path) + 1)],
        "prompt_list": [f"A room, number {i}." for i in range(len(path) + 1)],
        "image": f"./static/{style}/images/{category}/{number:03d}.jpg",
    }


def dynamic_record(number: int, style: str, motion: str, masks: int = 2) -> dict[str, Any]:
    folder = f"./dynamic/{style}/masks/{motion}/{number:03d}"
    return {
        "visual_movement": "dynamic",
        "visual_style": style,
        "motion_type": motion,
        "style": "photorealistic",
        "camera_path": ["fixed"],
        "objects": ["ball", "cart"][:masks],
        "prompt": "The ball rolls",
        "image": f"./dynamic/{style}/images/{motion}/{number:03d}.jpg",
        "masks": [f"{folder}/{number:03d}-{k}.png" for k in range(masks)],
    }


def make_dataset(root: Path, size: tuple[int, int] = (96, 64)) -> Path:
    """`root/WorldScore-Dataset` with three static and two dynamic worlds."""
    folder = root / "WorldScore-Dataset"
    records = {
        "static": [static_record(n, *spec) for n, spec in enumerate(STATIC)],
        "dynamic": [dynamic_record(n, *spec) for n, spec in enumerate(DYNAMIC)],
    }
    for movement, worlds in records.items():
        (folder / movement).mkdir(parents=True)
        (folder / movement / f"{movement}.json").write_text(json.dumps(worlds))
        for number, world in enumerate(worlds):
            write_picture(folder / world["image"], size, number)
            for index, mask in enumerate(world.get("masks", [])):
                write_mask(folder / mask, size, index)
    return folder


def write_picture(file: Path, size: tuple[int, int], seed: int) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    noise = np.random.default_rng(seed).integers(0, 256, (size[1] // 8, size[0] // 8, 3), np.uint8)
    Image.fromarray(noise).resize(size).save(file)


def write_mask(file: Path, size: tuple[int, int], index: int) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    mask = np.zeros((size[1], size[0]), np.uint8)
    mask[20:30, 20 + 30 * index : 40 + 30 * index] = 255
    Image.fromarray(mask).save(file)
