"""What the six 3D models of the paper are handed: their cameras as the released adapters make them.

`camera_data.json` and the matrices of a camera type are not yet what these models get: two of the adapters change the
pose, four give a lens with it. `cameras_model.json` of a preset has the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import interpolate, keyframes

Floats = NDArray[np.float64]
RotationsAndTranslations = tuple[Floats, Floats]
"""(N, 3, 3) and (N, 3)."""
SIDE: Final = 512
"""Px of the pictures that every adapter names, whatever size is generated."""
FOCAL: Final = 500.0
_LENS = "the lens: the model's own"
_EVERYWHERE = ("near and far plane, scale of depth, size and background of what is drawn: the model's own",)
_PERSPECTIVE = "PyTorch3D's PerspectiveCameras, one per camera"


def _as_rows(world_to_camera: Floats) -> RotationsAndTranslations:
    """For row vectors, as PyTorch3D has it: R is the transpose of the matrix' rotation."""
    return np.swapaxes(world_to_camera[:, :3, :3], 1, 2), world_to_camera[:, :3, 3]


def _scenescape(world_to_camera: Floats) -> RotationsAndTranslations:
    """R transposed once more, so as the matrix has it; x of T negated."""
    return world_to_camera[:, :3, :3], world_to_camera[:, :3, 3] * np.array([-1.0, 1.0, 1.0])


def _luciddreamer(world_to_camera: Floats) -> RotationsAndTranslations:
    """Of the inverse of the matrix for row vectors: its rotation transposed, its translation with z negated."""
    rotation, translation = _as_rows(world_to_camera)
    centre = -np.einsum("nij,nj->ni", rotation, translation)
    return rotation, centre * np.array([1.0, 1.0, -1.0])


def _as_it_is(world_to_camera: Floats) -> RotationsAndTranslations:
    """The matrix for column vectors, in two parts."""
    return world_to_camera[:, :3, :3], world_to_camera[:, :3, 3]


@dataclass(frozen=True)
class Adapter:
    """How one model gets its cameras."""

    model: str
    handed_as: str
    """What the model's code takes."""
    pose: Callable[[Floats], RotationsAndTranslations]
    """World-to-camera matrices (N, 4, 4) with PyTorch3D axes, for column vectors, to R and T as they are handed on."""
    centre: float | None
    """Px from the left and from above of the lens that is handed on; None: none is."""
    not_set: tuple[str, ...]
    """What the adapter leaves to the model, or to the user."""

    @property
    def lens(self) -> list[list[float]] | None:
        """K as PyTorch3D has it, (4, 4), in px of 512x512."""
        if self.centre is None:
            return None
        return [
            [FOCAL, 0.0, self.centre, 0.0],
            [0.0, FOCAL, self.centre, 0.0],
            [0.0, 0.0, 0.0, 1.0],
            [0.0, 0.0, 1.0, 0.0],
        ]

    def cameras(self, layouts: Sequence[str], frames: int, speed: float) -> dict[str, Any]:
        """The content of a world's file: R and T of the key cameras and of every frame, K, and what is not set."""
        keys = keyframes(layouts, speed)
        return {
            "model": self.model,
            "camera_speed": speed,
            "handed_as": self.handed_as,
            "K": self.lens,
            "in_ndc": None if self.centre is None else False,
            "image_size": None if self.centre is None else [SIDE, SIDE],
            "cameras": self._parts(keys),
            "cameras_interp": self._parts(interpolate(keys, frames)),
            "not_set": list(self.not_set),
        }

    def _parts(self, world_to_camera: Floats) -> dict[str, Any]:
        rotation, translation = self.pose(world_to_camera)
        return {"R": rotation.tolist(), "T": translation.tolist()}


def _known(*adapters: Adapter) -> Mapping[str, Adapter]:
    return MappingProxyType({adapter.model: adapter for adapter in adapters})


ADAPTERS: Final = _known(
    Adapter(
        "SceneScape",
        f"{_PERSPECTIVE}: R, T, K",
        _scenescape,
        SIDE / 2,
        ("the picture: the model is handed prompts and cameras alone", *_EVERYWHERE),
    ),
    Adapter(
        "Text2Room",
        "one tensor (N, 4, 4), world to camera for column vectors: R and T are its parts",
        _as_it_is,
        None,
        (_LENS, *_EVERYWHERE),
    ),
    Adapter(
        "LucidDreamer",
        "a list [R, T] per camera, T as a column (3, 1)",
        _luciddreamer,
        None,
        (_LENS, *_EVERYWHERE),
    ),
    Adapter(
        "WonderJourney",
        f"{_PERSPECTIVE}: R, T, K; the picture as RGB of {SIDE}x{SIDE}",
        _as_rows,
        SIDE / 2,
        _EVERYWHERE,
    ),
    Adapter(
        "InvisibleStitch",
        f"{_PERSPECTIVE}: R, T, and K's numbers as focal_length and principal_point",
        _as_rows,
        (SIDE - 1) / 2,
        _EVERYWHERE,
    ),
    Adapter(
        "WonderWorld",
        f"{_PERSPECTIVE}: R, T, K; the picture as RGB of {SIDE}x{SIDE}",
        _as_rows,
        SIDE / 2,
        _EVERYWHERE,
    ),
)
"""By the name of the preset.

Source: released code at commit 344983c.
"""
