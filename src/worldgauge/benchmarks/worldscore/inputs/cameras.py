"""`camera_data.json` and the camera matrices for models that take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import interpolate, keyframes, saved_cameras
from worldgauge.core.registry import unknown_name

Floats = NDArray[np.float64]
CameraType = Literal["pytorch3d", "pytorch3d_tensor", "tensor", "blender"]

_TURN: Final = np.diag([-1.0, 1.0, -1.0, 1.0])


def focal_length() -> int:
    """Pixels, for a frame of 512x512."""
    return 500


def camera_data(layouts: Sequence[str], frames: int, speed: float = 1.0) -> dict[str, Any]:
    """The content of `camera_data.json`."""
    keys = keyframes(layouts, speed)
    return {
        "focal_length": focal_length(),
        "scale": speed,
        "cameras": saved_cameras(keys).tolist(),
        "cameras_interp": saved_cameras(interpolate(keys, frames)).tolist(),
    }


def camera_matrices(layouts: Sequence[str], frames: int, speed: float, kind: str) -> Floats:
    """Per-frame world-to-camera matrices in a model's `camera_type`, (N, 4, 4).

    `tensor`: PyTorch3D axes, column vectors; `pytorch3d` and `pytorch3d_tensor`: the same for row vectors; `blender`:
    Blender camera axes, column vectors.
    """
    return _written_as(interpolate(keyframes(layouts, speed), frames), kind)


def fixed_matrices(frames: int, kind: str) -> Floats:
    """The same for a camera that does not move, (frames, 4, 4)."""
    return _written_as(np.tile(np.eye(4), (frames, 1, 1)), kind)


def _written_as(matrices: Floats, kind: str) -> Floats:
    match kind:
        case "tensor":
            return matrices
        case "pytorch3d" | "pytorch3d_tensor":
            return np.swapaxes(matrices, 1, 2).copy()
        case "blender":
            return np.asarray(_TURN @ matrices)
        case _:
            raise unknown_name("camera type", kind, list(get_args(CameraType)))
