"""What the authors' code of DROID-SLAM gave on a checkpoint made by the rule, and stand-ins for its network."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from instruments.neural.flow_and_style import expanded
from instruments.neural.rule import fill, positions
from worldgauge.instruments.neural.networks.droid import motions
from worldgauge.instruments.neural.networks.droid.network import DroidNetwork, droid_from
from worldgauge.instruments.neural.networks.droid.projection import reprojected

FILE = Path(__file__).with_name("droid.json")
GAIN = math.sqrt(1.5)
"""Of the update's convolutions."""
KEPT = (196, 576)
"""Channels that do not depend on the size of the network."""
ALL_STORED = 200
"""Outputs of no more numbers than this are stored whole."""


@cache
def known() -> dict[str, Any]:
    return json.loads(FILE.read_text("utf-8"))


@cache
def given(name: str) -> np.ndarray:
    """An input of the authors' code."""
    with np.load(FILE.with_suffix(".npz")) as stored:
        return stored[name]


def frames(picture: str, count: int, down: int, across: int) -> np.ndarray:
    """Frames of 128x160 px out of a larger picture, each moved on by as much."""
    whole = given(picture)
    return np.stack([whole[k * down : k * down + 128, k * across : k * across + 160] for k in range(count)])


def tensor(name: str) -> torch.Tensor:
    return torch.from_numpy(given(name).copy())


def layout() -> dict[str, tuple[int, ...]]:
    """Names and shapes of the published file, but for its prefix and the rows of two heads that nobody uses."""
    return {name: tuple(shape) for key, shape in known()["layout"].items() for name in expanded(key)}


@cache
def checkpoint(divisor: int = 1) -> Mapping[str, torch.Tensor]:
    """As the published file has it: a prefix, and a third row in two heads, which is 9 where it is not to be read.

    `divisor` makes a smaller network: of all channels but the outputs, and those that correlation and motion have.
    """
    state = {}
    for name, whole in layout().items():
        shape = tuple(n // divisor if axis < 2 and n >= 32 and n not in KEPT else n for axis, n in enumerate(whole))
        values = fill(name, shape, "A", GAIN if name.startswith("update.") else 1.0)
        entry = torch.from_numpy(np.array(values, np.float32))
        if name.startswith(("update.weight.2", "update.delta.2")):
            entry = torch.cat((entry, torch.full((1, *shape[1:]), 9.0)))
        state[f"module.{name}"] = entry
    return state


@cache
def network() -> DroidNetwork:
    return droid_from(checkpoint())


def off(found: torch.Tensor, stored: Mapping[str, Any]) -> float:
    """Largest difference at the stored places, in tolerances."""
    values = np.asarray(found.detach(), np.float64).reshape(stored["shape"])
    wanted = np.array(stored["values"])
    places = positions(values.size, len(wanted)) if values.size > ALL_STORED else np.arange(len(wanted))
    return float(np.abs(values.reshape(-1)[places] - wanted).max() / stored["tolerance"])


def matrices(vectors: np.ndarray) -> torch.Tensor:
    """Poses (..., 7), translation and quaternion with its real part last, as matrices."""
    whole = torch.from_numpy(np.array(vectors, np.float64))
    x, y, z, w = (whole[..., 3:] / whole[..., 3:].norm(dim=-1, keepdim=True)).unbind(-1)
    rows = (
        *(1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        *(2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        *(2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )
    return motions.assembled(torch.stack(rows, -1).unflatten(-1, (3, 3)), whole[..., :3])


def poses_off(found: torch.Tensor, stored: Mapping[str, Any]) -> float:
    """The same for poses that are stored whole as vectors."""
    wanted = matrices(np.array(stored["values"]).reshape(stored["shape"]))
    return float((found - wanted.reshape(found.shape)).abs().max() / stored["tolerance"])


class TrueFlow:
    """Knows the depth and the pose of every frame, so the flow along every edge."""

    def __init__(self, poses: torch.Tensor, depths: torch.Tensor, intrinsics: torch.Tensor) -> None:
        """World-to-camera (N, 4, 4), inverse depths (N, h, w), px of that map."""
        self.scene = poses, depths, intrinsics
        self.edges: list[tuple[int, int]] = []

    def places(self, sources: np.ndarray, targets: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        return reprojected(*self.scene, torch.from_numpy(sources), torch.from_numpy(targets))

    def begin(self, sources: np.ndarray, targets: np.ndarray, lasting: bool) -> torch.Tensor:
        return torch.zeros(len(sources), 1)

    def kept(self, rows: np.ndarray) -> None:
        pass

    def match(
        self, state: Any, sources: np.ndarray, targets: np.ndarray, rows: Any, places: torch.Tensor, motion: Any
    ) -> tuple[torch.Tensor, ...]:
        self.edges += zip(sources.tolist(), targets.tolist(), strict=True)
        wanted, valid = self.places(sources, targets)
        edge = torch.tensor(places.shape[:1:-1]).view(2, 1, 1) - 1
        inside = ((wanted >= 0) & (wanted <= edge)).all(1)
        # As a network does, it knows nothing of what left the view.
        weight = (valid & inside)[:, None].float().expand_as(wanted)
        damping = torch.full((len(np.unique(sources)), *places.shape[2:]), 1e-5)
        return state, (wanted - places).float(), weight, damping

    def movement(self, before: int, after: int) -> float:
        places, _ = self.places(np.array([before]), np.array([after]))
        still, _ = self.places(np.array([before]), np.array([before]))
        return float((places - still).norm(dim=1).mean())
