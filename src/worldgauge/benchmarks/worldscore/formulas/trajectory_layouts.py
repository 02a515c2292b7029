"""The eight camera layouts, chained and interpolated frame by frame.

Inside this file a camera is a world-to-camera matrix with PyTorch3D axes (x left, y up, z forward), because the
benchmark interpolates that matrix: rotations on the sphere, translations of the *matrix* (not centres) on a line.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldscore.formulas.convention import CAMERA_DATA
from worldgauge.core.cameras import CameraPath
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.registry import unknown_name
from worldgauge.functional.camera_conventions import invert_affine, to_opencv

Floats = NDArray[np.float64]

ANGLE: Final = 30.0
"""Degrees a pan or an orbit turns."""


def _transform(turn: float = 0.0, shift: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Floats:
    """A turn about the vertical axis by degrees, then a shift."""
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    matrix = np.eye(4)
    matrix[:3, :3] = (c, 0.0, -s), (0.0, 1.0, 0.0), (s, 0.0, c)
    matrix[:3, 3] = shift
    return matrix


def _orbit(turn: float, radius: float) -> Floats:
    """A turn about the point `radius` ahead of the camera."""
    return _transform(shift=(0.0, 0.0, radius)) @ _transform(turn) @ _transform(shift=(0.0, 0.0, -radius))


_KEYFRAMES: dict[str, Callable[[float], Floats]] = {
    "push_in": lambda s: _transform(shift=(0.0, 0.0, -s)),
    "pull_out": lambda s: _transform(shift=(0.0, 0.0, s)),
    "move_left": lambda s: _transform(shift=(-0.5 * s, 0.0, 0.0)),
    "move_right": lambda s: _transform(shift=(0.5 * s, 0.0, 0.0)),
    "orbit_left": lambda s: _orbit(-ANGLE, s),
    "orbit_right": lambda s: _orbit(ANGLE, s),
    "pan_left": lambda s: _transform(ANGLE),
    "pan_right": lambda s: _transform(-ANGLE),
}
LAYOUTS: Final = tuple(_KEYFRAMES)
INTRA_LAYOUTS: Final = ("push_in", "orbit_left", "orbit_right")
"""Layouts that stay in the scene; the others lead to a new one."""


def keyframes(layouts: Sequence[str], speed: float = 1.0) -> Floats:
    """World-to-camera matrices at the ends of the layouts, (layouts + 1, 4, 4); the first is the identity.

    `speed` is the length unit: how far `push_in` goes.
    """
    cameras = [np.eye(4)]
    for layout in layouts:
        if layout not in _KEYFRAMES:
            raise unknown_name("camera layout", layout, list(LAYOUTS))
        cameras.append(_KEYFRAMES[layout](speed) @ cameras[-1])
    return np.stack(cameras)


def interpolate(keys: Floats, frames: int) -> Floats:
    """World-to-camera matrices per frame: `frames` from one key camera to the next, both included, joints shared."""
    from scipy.spatial.transform import Rotation, Slerp

    if frames < 2:
        raise WorldGaugeError(f"a layout needs at least 2 frames, got {frames}")
    steps = frames - 1
    path = [keys[:1]]
    for start, end in pairwise(keys):
        share = np.arange(1, frames) / steps
        segment = np.tile(np.eye(4), (steps, 1, 1))
        segment[:, :3, :3] = Slerp([0, 1], Rotation.from_matrix([start[:3, :3], end[:3, :3]]))(share).as_matrix()
        segment[:, :3, 3] = start[:3, 3] + share[:, None] * (end[:3, 3] - start[:3, 3])
        segment[-1] = end
        path.append(segment)
    return np.concatenate(path)


def saved_cameras(world_to_camera: Floats) -> Floats:
    """The camera-to-world matrices of `camera_data.json`: Blender camera axes, world axes as they are here.

    >>> saved_cameras(keyframes(["pan_left"]))[0].diagonal().tolist()
    [-1.0, 1.0, -1.0, 1.0]
    """
    return np.asarray(invert_affine(np.diag([-1.0, 1.0, -1.0, 1.0]) @ world_to_camera))


def layout_path(layouts: Sequence[str], frames: int, speed: float = 1.0) -> CameraPath:
    """The requested cameras of a world in our convention; the first is the identity. `frames` per layout.

    >>> path = layout_path(["move_left"], frames=3)
    >>> path.translation[:, 0].tolist()
    [0.0, -0.25, -0.5]
    """
    saved = saved_cameras(interpolate(keyframes(layouts, speed), frames))
    return CameraPath(to_opencv(saved, CAMERA_DATA))


def entered_scenes(entries: Sequence[str], layouts: Sequence[str]) -> list[str]:
    """One entry per scene, where a layout that stays in its scene has the entry of the scene it stays in.

    Source: arXiv 2504.00983, 3.2.

    >>> entered_scenes(["hall", "pier", "attic"], ["push_in", "pan_left"])
    ['hall', 'hall', 'attic']
    """
    scenes = list(entries[:1])
    for layout, entry in zip(layouts, entries[1:], strict=False):
        scenes.append(scenes[-1] if layout in INTRA_LAYOUTS else entry)
    return scenes


def total_frames(scenes: int, frames: int) -> int:
    """Frames of a video of `scenes` layouts with `frames` each, joints shared.

    >>> total_frames(1, 49), total_frames(3, 49)
    (49, 145)
    """
    return scenes * (frames - 1) + 1


def anchor_frames(scenes: int, frames: int) -> list[int]:
    """The first frame and the last frame of every layout.

    >>> anchor_frames(3, 49)
    [0, 48, 96, 144]
    """
    return [scene * (frames - 1) for scene in range(scenes + 1)]


def frames_per_layout(scenes: int, total: int) -> int | None:
    """Inverse of `total_frames`; None when no whole number fits.

    >>> frames_per_layout(3, 145), frames_per_layout(3, 146)
    (49, None)
    """
    steps, rest = divmod(total - 1, scenes)
    return None if rest or steps < 1 else steps + 1
