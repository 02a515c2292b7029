"""Error of an estimated camera path against a requested one, as defined in code and in print, and what it scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from worldgauge.benchmarks.worldscore.formulas.convention import CAMERA_DATA
from worldgauge.core.errors import WorldGaugeError
from worldgauge.functional.camera_conventions import from_opencv
from worldgauge.functional.pose import align_first_frame, best_scale, geodesic_deg

Floats = NDArray[np.float64]

ROTATION_WORST: Final = 15.0
"""Degrees: the mean rotation of a pan or an orbit seen from a camera that does not move."""
TRANSLATION_WORST: Final = 0.5
"""Units: the mean distance of a push or a pull from where it began."""
STANDS_STILL: Final = 1e-6
"""Degrees or units below which a path does not turn or does not move; its matrices hold no more."""


@dataclass(frozen=True, eq=False)
class CameraError:
    """One number per frame."""

    rotation: Floats
    """Degrees."""
    translation: Floats
    """In units of the requested path, after the estimate was scaled."""
    scale: float


def released_camera_error(requested_saved: ArrayLike, estimated: ArrayLike, speed: float = 1.0) -> CameraError:
    """As the released code compares: no alignment but one scale, which minimises the *sum of distances*.

    `requested_saved` are the matrices of `camera_data.json`, `estimated` OpenCV camera-to-world poses as a tracker
    returns them, (N, 4, 4) each; `speed` is the length unit the requested path was made with. Both are rounded to
    single precision, as the code holds them, and compared in double.

    Source: released code at commit 344983c.
    """
    saved, mirrored = _single(requested_saved), _single(mirrored_tracker_poses(estimated))
    _same_length(saved, mirrored)
    wanted, found = saved[:, :3, 3] / speed, mirrored[:, :3, 3]
    scale = sum_of_distances_scale(found, wanted)
    return CameraError(
        rotation=trace_angle_deg(mirrored[:, :3, :3], saved[:, :3, :3]),
        translation=np.asarray(np.linalg.norm(scale * found - wanted, axis=1)),
        scale=scale,
    )


def printed_camera_error(requested: ArrayLike, estimated: ArrayLike, *, free_scale: bool = False) -> CameraError:
    """As the paper prints it: first frames made equal, least-squares scale, both paths in the same axes.

    The scale is held non-negative; with `free_scale`, as S2 leaves it, the opposite motion counts as the right one.
    OpenCV camera-to-world poses, (N, 4, 4) each.

    Source: arXiv 2504.00983, S1 and S2.
    """
    wanted, found = align_first_frame(requested), align_first_frame(estimated)
    _same_length(wanted, found)
    scale = (least_squares_scale if free_scale else best_scale)(found[:, :3, 3], wanted[:, :3, 3])
    return CameraError(
        rotation=geodesic_deg(found[:, :3, :3], wanted[:, :3, :3]),
        translation=np.asarray(np.linalg.norm(scale * found[:, :3, 3] - wanted[:, :3, 3], axis=1)),
        scale=scale,
    )


def fixed_camera_error(requested: ArrayLike) -> tuple[float, float]:
    """Mean rotation (degrees) and translation error of a camera that does not move: what scores 0 on this path.

    A path that does not turn, or does not leave its place, has no such error; there it is the largest that one layout
    has, 15 degrees and half a unit.

    Source: arXiv 2504.00983, C.8; the two numbers are those of the released code.

    >>> from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import layout_path
    >>> [round(error, 3) for error in fixed_camera_error(layout_path(["move_left"], 50).poses)]
    [15.0, 0.25]
    """
    wanted = align_first_frame(requested)
    rotation = float(geodesic_deg(wanted[:, :3, :3], np.eye(3)).mean())
    translation = float(np.linalg.norm(wanted[:, :3, 3], axis=1).mean())
    return (
        rotation if rotation > STANDS_STILL else ROTATION_WORST,
        translation if translation > STANDS_STILL else TRANSLATION_WORST,
    )


def kept_share(error: CameraError, worst: tuple[float, float]) -> float:
    """Geometric mean of how much of the rotation and of the translation was kept, 0 where an error reaches `worst`.

    Source: released code at commit 344983c, with one pair of bounds; arXiv 2504.00983, C.8, with those of each path.
    """
    rotation, translation = float(error.rotation.mean()), float(error.translation.mean())
    kept = (1.0 - min(rotation / worst[0], 1.0)) * (1.0 - min(translation / worst[1], 1.0))
    return math.sqrt(kept)


def trace_angle_deg(a: ArrayLike, b: ArrayLike) -> Floats:
    """Angle between rotations (..., 3, 3) by the arc cosine of the trace: matrices rounded to single precision are not
    quite rotations, and this form tells so near 0, where a better one would hide it.

    >>> float(trace_angle_deg(np.eye(3), np.diag([1.0, -1.0, -1.0])))
    180.0
    """
    trace = np.einsum("...ij,...ij->...", np.asarray(a, np.float64), np.asarray(b, np.float64))
    return np.asarray(np.degrees(np.arccos(np.clip((trace - 1.0) / 2.0, -1.0, 1.0))))


def least_squares_scale(points: ArrayLike, target: ArrayLike) -> float:
    """The factor of either sign that minimises |s points - target|^2; 1 when the points are all zero."""
    sources, goals = np.asarray(points, np.float64), np.asarray(target, np.float64)
    square = float((sources**2).sum())
    return float((sources * goals).sum()) / square if square > 1e-18 else 1.0


def mirrored_tracker_poses(estimated: ArrayLike) -> Floats:
    """Tracker poses in the axes of `camera_data.json`, upside down as in the released code.

    Its change of axes forgets that y points down in one convention and up in the other, in the world and in the camera
    alike. The requested paths lie in the plane y = 0 and only turn about y, so this shows only when an estimate leaves
    that plane.
    """
    flip = np.diag([1.0, -1.0, 1.0, 1.0])
    return np.asarray(flip @ from_opencv(estimated, CAMERA_DATA) @ flip)


def sum_of_distances_scale(points: ArrayLike, target: ArrayLike) -> float:
    """The factor c, of either sign, that minimises sum |target_i - c points_i|; 0 when the points are all zero.

    >>> sum_of_distances_scale([[1.0, 0, 0], [2.0, 0, 0], [1.0, 0, 0]], [[3.0, 0, 0], [6.0, 0, 0], [90.0, 0, 0]])
    3.0
    """
    sources, goals = np.asarray(points, np.float64), np.asarray(target, np.float64)
    moving = (sources**2).sum(axis=1) > 0
    if not moving.any():
        return 0.0
    sources, goals = sources[moving], goals[moving]
    square, product = (sources**2).sum(axis=1), (sources * goals).sum(axis=1)
    # Every term is convex with its minimum at product / square, so the minimum of the sum lies between those.
    low, high = float((product / square).min()), float((product / square).max())

    def distances(scale: float) -> Floats:
        return np.asarray(np.linalg.norm(goals - scale * sources, axis=1))

    def slope(scale: float) -> float:
        terms = scale * square - product
        return float(np.divide(terms, distances(scale), out=np.zeros_like(terms), where=distances(scale) > 0).sum())

    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if slope(middle) > 0:
            high = middle
        else:
            low = middle
    return min((low, high), key=lambda scale: float(distances(scale).sum()))


def _single(matrices: ArrayLike) -> Floats:
    return np.asarray(matrices, np.float32).astype(np.float64)


def _same_length(requested: Floats, estimated: Floats) -> None:
    if len(requested) != len(estimated):
        raise WorldGaugeError(f"{len(requested)} requested cameras cannot be compared with {len(estimated)} estimated")
