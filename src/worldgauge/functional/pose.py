"""Camera paths compared: angles, alignments, errors. Poses are (N, 4, 4) OpenCV camera-to-world; angles in degrees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def geodesic_deg(a: ArrayLike, b: ArrayLike) -> Floats:
    """Angle of the rotation that takes `a` to `b`, (..., 3, 3) each, in [0, 180].

    The half-angle form keeps full precision near 0 and near 180, where arccos of the trace loses half the digits.

    >>> quarter_turn = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    >>> round(float(geodesic_deg(np.eye(3), quarter_turn)), 9)
    90.0
    """
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    sine = np.linalg.norm(a - b, axis=(-2, -1)) / np.sqrt(8.0)
    cosine = np.sqrt(np.maximum(1.0 + np.einsum("...ij,...ij->...", a, b), 0.0)) / 2.0
    return np.asarray(np.degrees(2.0 * np.arctan2(sine, cosine)))


def invert(poses: ArrayLike) -> Floats:
    """Inverse of rigid transforms, (..., 4, 4)."""
    poses = np.asarray(poses, np.float64)
    inverse = np.zeros_like(poses)
    rotation = np.swapaxes(poses[..., :3, :3], -2, -1)
    inverse[..., :3, :3] = rotation
    inverse[..., :3, 3] = -np.einsum("...ij,...j->...i", rotation, poses[..., :3, 3])
    inverse[..., 3, 3] = 1.0
    return inverse


def relative(start: ArrayLike, end: ArrayLike) -> Floats:
    """Pose of `end` seen from `start`: inv(start) end, (..., 4, 4)."""
    return np.asarray(invert(start) @ np.asarray(end, np.float64))


def align_first_frame(poses: ArrayLike, reference: ArrayLike | None = None) -> Floats:
    """The path moved rigidly so that its first pose is the reference's first pose (identity when none is given)."""
    poses = np.asarray(poses, np.float64)
    moved = relative(poses[0], poses)
    return moved if reference is None else np.asarray(np.asarray(reference, np.float64)[0] @ moved)


@dataclass(frozen=True, eq=False)
class Similarity:
    """x -> scale * rotation x + translation."""

    scale: float
    rotation: Floats
    translation: Floats

    def points(self, points: ArrayLike) -> Floats:
        """Transform points (N, 3)."""
        return np.asarray(self.scale * np.asarray(points, np.float64) @ self.rotation.T + self.translation)

    def poses(self, poses: ArrayLike) -> Floats:
        """Transform poses (N, 4, 4): centres as points, orientations by the rotation alone."""
        moved = np.array(poses, np.float64)
        moved[:, :3, 3] = self.points(moved[:, :3, 3])
        moved[:, :3, :3] = self.rotation @ moved[:, :3, :3]
        return moved


def umeyama(source: ArrayLike, target: ArrayLike, *, with_scale: bool = True) -> Similarity:
    """Least-squares similarity (or rigid motion) taking points `source` to `target`, (N, 3) each. Umeyama 1991.

    Source points that all coincide determine no scale; it is then 1.
    """
    source, target = np.asarray(source, np.float64), np.asarray(target, np.float64)
    mean_source, mean_target = source.mean(axis=0), target.mean(axis=0)
    centred = source - mean_source
    u, singular, vt = np.linalg.svd((target - mean_target).T @ centred / len(source))
    sign = np.array([1.0, 1.0, np.sign(np.linalg.det(u) * np.linalg.det(vt)) or 1.0])
    rotation = (u * sign) @ vt
    variance = (centred**2).sum() / len(source)
    scale = float((singular * sign).sum() / variance) if with_scale and variance > 1e-18 else 1.0
    return Similarity(scale, rotation, mean_target - scale * rotation @ mean_source)


def align_se3(poses: ArrayLike, reference: ArrayLike) -> Floats:
    """Path moved rigidly so that its centres fit the reference's best."""
    poses, reference = np.asarray(poses, np.float64), np.asarray(reference, np.float64)
    return umeyama(poses[:, :3, 3], reference[:, :3, 3], with_scale=False).poses(poses)


def align_sim3(poses: ArrayLike, reference: ArrayLike) -> Floats:
    """Path moved and scaled so that its centres fit the reference's best."""
    poses, reference = np.asarray(poses, np.float64), np.asarray(reference, np.float64)
    return umeyama(poses[:, :3, 3], reference[:, :3, 3]).poses(poses)


def best_scale(points: ArrayLike, reference: ArrayLike) -> float:
    """The factor s >= 0 that minimises |s points - reference|^2; 1 when the points are all zero."""
    points, reference = np.asarray(points, np.float64), np.asarray(reference, np.float64)
    square = float((points**2).sum())
    return max(float((points * reference).sum()) / square, 0.0) if square > 1e-18 else 1.0


def align_scale(poses: ArrayLike, reference: ArrayLike) -> Floats:
    """First poses made equal, then the path scaled to fit the reference: no rotation is spent on the fit."""
    moved = align_first_frame(poses)
    moved[:, :3, 3] *= best_scale(moved[:, :3, 3], align_first_frame(reference)[:, :3, 3])
    return np.asarray(np.asarray(reference, np.float64)[0] @ moved)


def path_length(centres: ArrayLike) -> float:
    """Summed length of the steps between consecutive camera centres (N, 3)."""
    return float(np.linalg.norm(np.diff(np.asarray(centres, np.float64), axis=0), axis=1).sum())


def rotation_errors(poses: ArrayLike, reference: ArrayLike) -> Floats:
    """Per frame, the angle between the two orientations as they stand; align first. (N,) degrees."""
    return geodesic_deg(np.asarray(poses)[:, :3, :3], np.asarray(reference)[:, :3, :3])


def translation_errors(poses: ArrayLike, reference: ArrayLike) -> Floats:
    """Per frame, the distance between the two centres as they stand; align first. (N,) world units."""
    return np.asarray(np.linalg.norm(np.asarray(poses)[:, :3, 3] - np.asarray(reference)[:, :3, 3], axis=1))


def direction_errors(poses: ArrayLike, reference: ArrayLike, *, least: float = 0.05) -> Floats:
    """Per frame, the angle between the two displacements from the first frame, each in its first camera's axes.

    (N,) degrees; NaN where the reference has moved by less than the share `least` of its farthest displacement, and
    90 where the estimate has not moved at all.
    """
    ours, truth = align_first_frame(poses)[:, :3, 3], align_first_frame(reference)[:, :3, 3]
    length, truth_length = np.linalg.norm(ours, axis=1), np.linalg.norm(truth, axis=1)
    cosine = (ours * truth).sum(axis=1) / np.maximum(length * truth_length, 1e-18)
    errors = np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))
    errors[truth_length < max(least * float(truth_length.max()), 1e-12)] = np.nan
    return np.asarray(errors)


def root_mean_square(values: ArrayLike) -> float:
    """
    >>> root_mean_square([1.0, 7.0])
    5.0
    """
    return float(np.sqrt(np.mean(np.asarray(values, np.float64) ** 2)))


def absolute_trajectory_error(poses: ArrayLike, reference: ArrayLike, *, with_scale: bool = True) -> float:
    """Root mean square distance of the centres after the best similarity (or rigid) alignment."""
    align = align_sim3 if with_scale else align_se3
    return root_mean_square(translation_errors(align(poses, reference), reference))
