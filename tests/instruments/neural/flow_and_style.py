"""Published checkpoints of the flow, distance and style networks, and what the authors' code gave on rule-made ones."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from instruments.neural.rule import fill, image, positions

FILE = Path(__file__).with_suffix(".json")


@cache
def known(network: str) -> dict[str, Any]:
    """Layout of the published file, gain of the rule, and outputs."""
    return json.loads(FILE.read_text("utf-8"))[network]


def expanded(name: str) -> list[str]:
    """`layer.{0,1}.conv` is two names."""
    choice = re.search(r"\{([^{}]*)\}", name)
    if choice is None:
        return [name]
    return [
        full for part in choice[1].split(",") for full in expanded(name[: choice.start()] + part + name[choice.end() :])
    ]


def layout(network: str) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the published file."""
    return {name: tuple(shape) for key, shape in known(network)["layout"].items() for name in expanded(key)}


@cache
def checkpoint(network: str) -> Mapping[str, torch.Tensor]:
    """The checkpoint on which the outputs were made; its digest says that it is the same."""
    facts = known(network)
    alias = tuple(facts["alias"]) if "alias" in facts else None
    entries = {name: fill(name, shape, "A", facts["gain"], alias=alias) for name, shape in layout(network).items()}
    digest = hashlib.sha256()
    for name in sorted(entries):
        digest.update(name.encode() + entries[name].tobytes())
    assert digest.hexdigest() == facts["sha256"]
    return {name: torch.from_numpy(values) for name, values in entries.items()}


def pair(network: str) -> NDArray[np.uint8]:
    """The two frames, (2, H, W, 3): a texture that moves, and a rectangle on it that moves otherwise."""
    facts = known(network)["pair"]
    thing = facts["object"]
    rows = slice(thing["top"], thing["top"] + thing["height"])
    columns = slice(thing["left"], thing["left"] + thing["width"])
    frames = []
    for moved in (0, 1):
        shift, own = ([moved * step for step in part["shift_dy_dx"]] for part in (facts, thing))
        frame = image(facts["key"], facts["height"], facts["width"], *shift)
        frame[rows, columns] = image(thing["key"], thing["height"], thing["width"], *own)
        frames.append(frame)
    return np.stack(frames)


def difference(found: Any, stored: Mapping[str, Any]) -> float:
    """Largest difference at the stored places of an output."""
    values = np.asarray(found)
    assert list(values.shape) == stored["shape"]
    wanted = np.array(stored["values"])
    return float(np.abs(values.reshape(-1)[positions(values.size, len(wanted))] - wanted).max())
