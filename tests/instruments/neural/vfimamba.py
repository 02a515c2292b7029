"""VFIMamba's published layout, checkpoints made by the rule, and what the authors' code gave on them."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from instruments.neural.flow_and_style import expanded
from instruments.neural.rule import fill, image, noise

FILE = Path(__file__).with_suffix(".json")
NORMS = (".norm.", "ln_", "out_norm")


@cache
def known() -> dict[str, Any]:
    """Layout of the published file, and outputs of the authors' code by the size of the frames."""
    return json.loads(FILE.read_text("utf-8"))


def layout() -> dict[str, tuple[int, ...]]:
    """Names and shapes of the published file."""
    return {name: tuple(shape) for key, shape in known()["layout"].items() for name in expanded(key)}


def filled(name: str, shape: tuple[int, ...]) -> torch.Tensor:
    """One entry by the rule, with slopes and gains under which numbers neither vanish nor grow."""
    kind, values = name.split(".")[-1], noise(f"A:{name}", shape)
    if kind in ("x_proj_weight", "dt_projs_weight"):
        values /= math.sqrt(shape[-1])
    elif len(shape) == 1 and kind == "weight" and not any(part in name for part in NORMS):
        values = 0.25 + 0.1 * values
    elif len(shape) == 4 and (".up" in name or name.endswith("lastconv.weight")):
        values /= math.sqrt(shape[0] * shape[2] * shape[3] / 4)
    elif len(shape) == 4:
        values *= 1.2 / math.sqrt(math.prod(shape[1:]))
    else:
        return torch.from_numpy(np.asarray(fill(name, shape, "A")))
    return torch.from_numpy(values.astype(np.float32))


def checkpoint(shapes: dict[str, tuple[int, ...]], prefix: str = "module.") -> dict[str, torch.Tensor]:
    """Entries by the rule, under the prefix that the published file has."""
    return {f"{prefix}{name}": filled(name, shape) for name, shape in shapes.items()}


def narrow(width: int = 4, blocks: int = 1) -> dict[str, tuple[int, ...]]:
    """Names and shapes of a network of another width."""
    from worldgauge.instruments.neural.networks.vfimamba import VfiMamba

    with torch.device("meta"):
        return {name: tuple(value.shape) for name, value in VfiMamba(width, blocks).state_dict().items()}


def frames(size: str) -> NDArray[np.uint8]:
    """The two frames of a stored case, (2, H, W, 3)."""
    case = known()["cases"][size]
    height, width = map(int, size.split("x"))
    return np.stack([image(case["key"], height, width, k * case["dy"], k * case["dx"]) for k in (0, 1)])


def wanted(size: str, output: str) -> dict[str, Any]:
    """Shape, values at the stored places, and how far from them the authors' code itself may be taken to be."""
    return known()["cases"][size]["outputs"][output]
