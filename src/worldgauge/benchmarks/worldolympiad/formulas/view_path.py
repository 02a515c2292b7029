"""The way of the virtual camera around a reconstruction: interpolated, smoothed, with a wander and a dolly zoom inside.

Follows what the released code makes Depth Anything 3 do, in double precision. Poses are (N, 4, 4) camera-to-world.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored

Floats = NDArray[np.float64]

NO_VIEW_PATH = "no-view-path"
"""Reason code: the released code stops at such cameras, or draws nothing but black from them."""

PARALLEL = 1e-4
"""How near to 1 the cosine of two looks must be for them to count as parallel: 0.81 degrees."""
SAME_ANGLE = 1e-12
"""Radians; two turns that differ by less are equal."""
TAPS = 50
"""Taps of the smoothing that are asked for; an odd number is used."""


def samples_per_interval(poses: int) -> int:
    """Views between two poses: eight, fewer for long paths, more for short ones; two or fewer: no interpolation.

    >>> [samples_per_interval(n) for n in (2, 7, 32, 56, 82)]
    [48, 8, 8, 4, 2]
    """
    intervals = poses - 1
    if intervals < 1:
        raise ValueError("a path needs two poses")
    if intervals * 8 > 432:
        return 240 // intervals
    return 48 // intervals if intervals * 8 < 48 else 8


def eased(samples: int) -> Floats:
    """Weights from 0 to 1, slow at both ends, (samples,)."""
    return np.asarray((1 - np.cos(np.pi * np.linspace(0, 1, samples))) / 2)


def interpolated(start: Floats, end: Floats, weights: Floats) -> Floats:
    """Poses between two, (len(weights), 4, 4), turning around the point both look at.

    As in the original one of the three angles is dropped: where both look the same way to 0.81 degrees, the last pose
    may miss the end by the whole step.
    """
    from scipy.spatial.transform import Rotation

    first, last = start[:3, 2], end[:3, 2]
    pivot = _pivot(start[:3, 3], first, end[:3, 3], last)
    frame = _frame(first, last)
    a, b = _parameters(start, frame, pivot), _parameters(end, frame, pivot)
    turn = np.array([_shorter(*pair) for pair in zip(a[3:], b[3:], strict=True)])
    poses = np.tile(np.eye(4), (len(weights), 1, 1))
    for number, weight in enumerate(weights):
        y, z = a[3:] + weight * turn
        rotation = frame @ Rotation.from_euler("YXZ", [y, 0.0, z]).as_matrix()
        offset = a[:3] + weight * (b[:3] - a[:3])
        poses[number, :3, :3] = rotation
        poses[number, :3, 3] = pivot - _axes(frame[:, 1], rotation[:, 2]) @ offset
    return poses


def _shorter(start: float, end: float) -> float:
    """The turn from one angle to another the shorter way round; of two equal ones that which does not pass zero.

    Equal but for rounding is equal: else the processor would choose the way of a half turn.

    >>> [round(_shorter(a, a + np.pi)) for a in (-1e-15, 0.0, 1e-15, 1.0)]
    [-3, 3, 3, 3]
    """
    around = 2 * np.pi
    start, end = start % around, end % around
    straight = end - start
    past_zero = straight - around if straight > 0 else straight + around
    return straight if abs(straight) < abs(past_zero) + SAME_ANGLE else past_zero


def _pivot(a: Floats, look_a: Floats, b: Floats, look_b: Floats) -> Floats:
    if abs(abs(float(look_a @ look_b)) - 1) < PARALLEL:
        return np.asarray((a + b) / 2)
    # The point nearest to both rays.
    planes = [np.eye(3) - np.outer(look, look) for look in (look_a, look_b)]
    return np.asarray(np.linalg.lstsq(sum(planes), planes[0] @ a + planes[1] @ b, rcond=None)[0])


def _frame(look: Floats, other: Floats) -> Floats:
    for instead in (np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])):
        if abs(abs(float(look @ other)) - 1) >= PARALLEL:
            break
        other = instead
    normal = np.cross(look, other)
    length = float(np.linalg.norm(normal))
    if not length:
        # Looks that are parallel and, being stretched, are not taken for it: the original ends here.
        raise Unscored("two recovered cameras look the same way and are no rotations", code=NO_VIEW_PATH)
    return _axes(normal / length, look)


def _axes(y: Floats, z: Floats) -> Floats:
    return np.stack([np.cross(y, z), y, z], axis=-1)


def _parameters(pose: Floats, frame: Floats, pivot: Floats) -> Floats:
    from scipy.spatial.transform import Rotation

    offset = _axes(frame[:, 1], pose[:3, 2]).T @ (pivot - pose[:3, 3])
    # The plain inverse: estimates are rotations to seven digits only, and of a half turn the last ones tell the way.
    y, _, z = Rotation.from_matrix(np.linalg.inv(frame) @ pose[:3, :3]).as_euler("YXZ")
    return np.array([*offset, y, z])


def smoothed(poses: Floats, taps: int = TAPS) -> Floats:
    """The path under a Gaussian, edges reflected. The axes are normalised one by one: at a cut they are not square."""
    import cv2

    wide = max(3, taps | 1 if taps % 2 else taps + 1)
    used = min(wide, len(poses) - (len(poses) + 1) % 2)
    if used <= 1:
        return poses.copy()
    kernel = np.asarray(cv2.getGaussianKernel(used, -1), np.float64).ravel()

    def blurred(rows: Floats) -> Floats:
        padded = np.pad(rows, ((used // 2, used // 2), (0, 0)), mode="reflect")
        return np.stack([np.convolve(column, kernel, "valid") for column in padded.T], axis=1)

    out = poses.copy()
    x, y = (blurred(poses[:, :3, column]) for column in (0, 1))
    x, y = (axis / np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-12) for axis in (x, y))
    out[:, :3, 0], out[:, :3, 1], out[:, :3, 2] = x, y, np.cross(x, y)
    out[:, :3, 3] = blurred(poses[:, :3, 3])
    return out


WANDER_PIXELS, DOLLY_DEPTH, DOLLY_FOCUS = 24.0, 0.1, 10.0


def wander(pose: Floats, focal: float, count: int) -> Floats:
    """A loop around a pose and back, (count + 2, 4, 4): 24 pixels of a thing one unit away."""
    radius = WANDER_PIXELS / focal
    turns = np.linspace(0, 2 * np.pi, count)
    steps = radius * np.stack([-np.sin(turns), -np.cos(turns) / 3, -np.cos(turns) / 3], axis=1)
    loop = _moved(pose, steps)
    return np.concatenate([pose[None], loop, pose[None]])


def dolly(pose: Floats, count: int) -> tuple[Floats, Floats]:
    """Back and forth along the look, (count, 4, 4), and the factor on the focal lengths that goes with it, (count,)."""
    back = DOLLY_DEPTH / 2 * (1 - np.cos(np.pi * np.linspace(0, 2, count)))
    steps = np.stack([np.zeros(count), np.zeros(count), -back], axis=1)
    return _moved(pose, steps), DOLLY_FOCUS / (DOLLY_FOCUS + back)


def _moved(pose: Floats, steps: Floats) -> Floats:
    poses = np.tile(pose, (len(steps), 1, 1))
    poses[:, :3, 3] += steps @ pose[:3, :3].T
    return poses
