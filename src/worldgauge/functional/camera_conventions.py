"""Camera conventions by name, and conversion from and to the package's own (OpenCV camera-to-world).

A convention is fixed by the axes of its camera, the axes of its world, the direction of its matrix and whether points
are columns (p' = M p) or rows (p' = p M). World axes stay as they are unless the convention is left-handed or says so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import manifests
from worldgauge.core.registry import unknown_name

Floats = NDArray[np.float64]

_SAME = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
LEFT_UP_FORWARD = ((-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0))
RIGHT_UP_BACKWARD = ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))
_FORWARD_RIGHT_UP = ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, -1.0, 0.0))

Axes = tuple[tuple[float, float, float], ...]


@dataclass(frozen=True)
class Convention:
    """How a tool writes a camera."""

    summary: str
    camera: Axes = _SAME
    """Rows: the convention's camera axes in OpenCV camera axes (x right, y down, z forward)."""
    world: Axes = _SAME
    """Rows: the convention's world axes in the axes of an OpenCV world."""
    world_to_camera: bool = False
    rows: bool = False
    """Points are rows, so the translation stands in the last row."""
    unit: float = 1.0
    """Length units of the convention per unit of ours."""


CONVENTIONS: dict[str, Convention] = {
    "opencv": Convention("camera-to-world; x right, y down, z forward"),
    "colmap": Convention("world-to-camera; x right, y down, z forward", world_to_camera=True),
    "opengl": Convention("camera-to-world; x right, y up, z backward (also Blender, NeRF)", camera=RIGHT_UP_BACKWARD),
    "blender": Convention("camera-to-world; x right, y up, z backward (also OpenGL, NeRF)", camera=RIGHT_UP_BACKWARD),
    "pytorch3d": Convention(
        "world-to-camera for row vectors, R top left and T in the last row; x left, y up, z forward",
        camera=LEFT_UP_FORWARD,
        world_to_camera=True,
        rows=True,
    ),
    "ue": Convention(
        "camera-to-world, left-handed; x forward, y right, z up; centimetres",
        camera=_FORWARD_RIGHT_UP,
        world=_FORWARD_RIGHT_UP,
        unit=100.0,
    ),
}


def conventions() -> dict[str, Convention]:
    """Every known convention by name: those above and those that benchmarks bring."""
    brought = {
        name: manifest.resolve(reference)
        for manifest in manifests()
        for name, reference in manifest.camera_conventions.items()
    }
    return CONVENTIONS | brought


def convention(name: str | Convention) -> Convention:
    """The convention of that name; a wrong name is answered with the nearest ones."""
    if isinstance(name, Convention):
        return name
    if name in CONVENTIONS:
        return CONVENTIONS[name]
    known = conventions()
    if name not in known:
        raise unknown_name("camera convention", name, list(known))
    return known[name]


def from_opencv(poses: ArrayLike, name: str | Convention) -> Floats:
    """OpenCV camera-to-world poses (N, 4, 4) as that convention writes them.

    >>> from_opencv([np.eye(4)], "blender")[0].diagonal().tolist()
    [1.0, -1.0, -1.0, 1.0]
    """
    poses, target = _checked(poses), convention(name)
    matrices = _homogeneous(target.world) @ poses @ _homogeneous(target.camera).T
    matrices[:, :3, 3] *= target.unit
    if target.world_to_camera:
        matrices = invert_affine(matrices)
    return np.swapaxes(matrices, 1, 2).copy() if target.rows else matrices


def to_opencv(matrices: ArrayLike, name: str | Convention) -> Floats:
    """Matrices (N, 4, 4) of that convention as OpenCV camera-to-world poses.

    >>> pose = np.eye(4); pose[:3, 3] = 1.0, 2.0, 3.0
    >>> np.allclose(to_opencv(from_opencv([pose], "ue"), "ue")[0], pose)
    True
    """
    matrices, source = _checked(matrices), convention(name)
    if source.rows:
        matrices = np.swapaxes(matrices, 1, 2).copy()
    if source.world_to_camera:
        matrices = invert_affine(matrices)
    matrices = matrices.copy()
    matrices[:, :3, 3] /= source.unit
    return np.asarray(_homogeneous(source.world).T @ matrices @ _homogeneous(source.camera))


def convert(matrices: ArrayLike, source: str, target: str) -> Floats:
    """Matrices (N, 4, 4) of one convention as another writes them."""
    return from_opencv(to_opencv(matrices, source), target)


def invert_affine(matrices: ArrayLike) -> Floats:
    """Inverse of transforms whose 3x3 part is orthogonal, reflections included; (N, 4, 4)."""
    matrices = np.asarray(matrices, np.float64)
    inverse = np.zeros_like(matrices)
    turned = np.swapaxes(matrices[..., :3, :3], -2, -1)
    inverse[..., :3, :3] = turned
    inverse[..., :3, 3] = -np.einsum("...ij,...j->...i", turned, matrices[..., :3, 3])
    inverse[..., 3, 3] = 1.0
    return inverse


def _homogeneous(axes: Axes) -> Floats:
    matrix = np.eye(4)
    matrix[:3, :3] = axes
    return matrix


def _checked(matrices: ArrayLike) -> Floats:
    array = np.asarray(matrices, np.float64)
    if array.ndim != 3 or array.shape[1:] != (4, 4):
        raise WorldGaugeError(f"cameras must have shape (N, 4, 4), got {array.shape}")
    return array
