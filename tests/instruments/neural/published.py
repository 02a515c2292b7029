"""Published checkpoints by their documented names: full size as names and shapes, small ones with numbers."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from instruments.neural.rule import fill

Shapes = dict[str, tuple[int, ...]]
FILE = Path(__file__).with_name("encoders.json")


@cache
def known() -> dict[str, Any]:
    """Facts of each network: layout, and what the authors' own code gave on weights made by the rule."""
    return json.loads(FILE.read_text("utf-8"))


def layout_of(network: str) -> Shapes:
    """Names and shapes of the published file; `blocks.{0-11}.x` in the facts are twelve names."""
    shapes: Shapes = {}
    for name, shape in known()[network]["layout"].items():
        match = re.search(r"\{(\d+)-(\d+)\}", name)
        numbers = range(int(match[1]), int(match[2]) + 1) if match else [None]
        for number in numbers:
            full = name if match is None else f"{name[: match.start()]}{number}{name[match.end() :]}"
            shapes[full] = tuple(shape)
    return shapes


def tiny_layout(network: str, sizes: Mapping[int, int], blocks: int = 2, divisor: int = 4) -> Shapes:
    """The same names with small shapes: lengths of 32 and more divided, or as `sizes` says, and fewer blocks."""
    shapes: Shapes = {}
    for name, shape in layout_of(network).items():
        number = re.search(r"(?:blocks|encoder\.layer)\.(\d+)\.", name)
        if number is None or int(number[1]) < blocks:
            shapes[name] = tuple(sizes.get(n, n if n < 32 else n // divisor) for n in shape)
    return shapes


def numbers(shapes: Shapes, gain: float = 1.0, salt: str = "A") -> dict[str, torch.Tensor]:
    """A checkpoint with numbers by the rule."""
    return {name: torch.from_numpy(np.array(fill(name, shape, salt, gain=gain))) for name, shape in shapes.items()}


def full_size(network: str) -> dict[str, torch.Tensor]:
    """The checkpoint on which the stored numbers were made."""
    return numbers(layout_of(network), known()[network]["gain"])


def unfilled(shapes: Shapes) -> dict[str, torch.Tensor]:
    """A checkpoint of names and shapes alone: memory nobody has touched."""
    return {name: torch.empty(shape) for name, shape in shapes.items()}


def largest_difference(found: np.ndarray, stored: Mapping[str, list[float]]) -> float:
    """Over the stored places of an output."""
    return float(np.abs(found.reshape(-1)[stored["at"]] - np.array(stored["values"])).max())


CLIP_SIZES = {49408: 0, 77: 77, 50: 5, 257: 5}
TINY: dict[str, dict[str, Any]] = {
    "clip_vit_b32": {"sizes": CLIP_SIZES},
    "clip_rn50": {"sizes": {**CLIP_SIZES, 49408: 2200}, "divisor": 8},
    "clip_vit_l14": {"sizes": CLIP_SIZES},
    "dinov2_vitb14": {"sizes": {1370: 17}},
    "depth_anything_v2_small": {"sizes": {1370: 17}, "blocks": 4},
    "image_reward": {"sizes": {197: 5, 30524: 0}},
    "laion_aesthetic_mlp": {"sizes": {}},
}
"""How each network is made small; 0 stands for the number of words the test has."""


def tiny(network: str, words: int = 0) -> dict[str, torch.Tensor]:
    """A small checkpoint under the published names."""
    recipe = TINY[network]
    sizes = {size: new or words for size, new in recipe["sizes"].items()}
    shapes = tiny_layout(network, sizes, recipe.get("blocks", 2), recipe.get("divisor", 4))
    assert math.prod(next(iter(shapes.values()))) > 0
    return numbers(shapes, known()[network]["gain"])
