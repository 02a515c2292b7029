"""Error of an estimated camera path against a requested one, as defined in code and in print."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from worldgauge.benchmarks.worldscore.formulas.convention import CAMERA_DATA
from worldgauge.core.errors import WorldGaugeError
from worldgauge.functional.camera_conventions import from_opencv
from worldgauge.functional.pose import align_first_frame, best_scale, geodesic_deg

Floats = NDArray[np.float64]


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
    returns them, (N, 4, 4) each; `speed` is the length unit the requested path was made with.

    Source: released code at commit 344983c.
    """
    saved, mirrored = np.array(requested_saved, np.float64), mirrored_tracker_poses(estimated)
    _same_length(saved, mirrored)
    wanted, found = saved[:, :3, 3] / speed, mirrored[:, :3, 3]
    scale = sum_of_distances_scale(found, wanted)
    return CameraError(
        rotation=geodesic_deg(mirrored[:, :3, :3], saved[:, :3, :3]),
        translation=np.asarray(np.linalg.norm(scale * found - wanted, axis=1)),
        scale=scale,
    )


def printed_camera_error(requested: ArrayLike, estimated: ArrayLike) -> CameraError:
    """As the paper prints it: first frames made equal, least-squares scale, both paths in the same axes.

    OpenCV camera-to-world poses, (N, 4, 4) each.

    Source: arXiv 2504.00983, Eq. 3.
    """
    wanted, found = align_first_frame(requested), align_first_frame(estimated)
    _same_length(wanted, found)
    scale = best_scale(found[:, :3, 3], wanted[:, :3, 3])
    return CameraError(
        rotation=geodesic_deg(found[:, :3, :3], wanted[:, :3, :3]),
        translation=np.asarray(np.linalg.norm(scale * found[:, :3, 3] - wanted[:, :3, 3], axis=1)),
        scale=scale,
    )


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


def _same_length(requested: Floats, estimated: Floats) -> None:
    if len(requested) != len(estimated):
        raise WorldGaugeError(f"{len(requested)} requested cameras cannot be compared with {len(estimated)} estimated")
