"""How well matched points of two views fit the poses: distance to epipolar lines, triangulation, a pure turn."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.pose import relative

Floats = NDArray[np.float64]
Order = Literal["exp_of_mean", "mean_of_exp"]
Degenerate = Literal["unscored", "rotation", "keep"]
"""A pair whose baseline is too short: left out, measured as a pure turn, or measured all the same."""
LEAST_BASELINE = 0.02
"""Of the typical scene depth, in which poses are told."""


def fundamental(intrinsics: Floats, first: Floats, second: Floats) -> Floats:
    """F with p1' F p2 = 0 for pixels of two cameras with one lens, from their poses (4, 4) camera-to-world."""
    moved = relative(first, second)
    x, y, z = moved[:3, 3]
    across = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    inverse = np.linalg.inv(intrinsics)
    return np.asarray(inverse.T @ across @ moved[:3, :3] @ inverse)


def epipolar_error(points: Floats, intrinsics: Floats, first: Floats, second: Floats) -> float:
    """Mean distance in px of matched points (K, 4), x, y in the first and x, y in the second view, to their lines.

    With noise of s px in x and y of both points it is 2 s / sqrt(pi) = 1.13 s.

    Source: MBench, Eq. 7 and 8.

    >>> lens, moved = np.diag([100.0, 100, 1]), np.eye(4)
    >>> moved[0, 3] = 0.5
    >>> epipolar_error(np.array([[0.0, 0, -50, 3]]), lens, np.eye(4), moved)
    3.0
    """
    matrix = fundamental(intrinsics, first, second)
    one, other = (np.concatenate([part, np.ones((len(points), 1))], 1) for part in (points[:, :2], points[:, 2:]))
    lines = other @ matrix.T, one @ matrix
    with np.errstate(divide="ignore", invalid="ignore"):
        distances = [
            np.abs((homogeneous * line).sum(1)) / np.linalg.norm(line[:, :2], axis=1)
            for homogeneous, line in zip((one, other), lines, strict=True)
        ]
    return _finite_mean(np.concatenate(distances))


def reprojection_error(points: Floats, intrinsics: Floats, first: Floats, second: Floats) -> float:
    """Mean distance in px of matched points (K, 4) to the projections of their triangulated points.

    Linear triangulation of each match. With noise of s px in x and y of both points it is s / sqrt(pi) = 0.57 s where
    the baseline is long enough to tell a depth.

    Source: MBench, Eq. 9 and 10.

    >>> lens, moved = np.diag([100.0, 100, 1]), np.eye(4)
    >>> moved[0, 3] = 0.5
    >>> round(reprojection_error(np.array([[0.0, 0, -50, 0]]), lens, np.eye(4), moved), 9)
    0.0
    """
    # In the first camera's axes: the world may lie anywhere.
    moved = np.linalg.inv(relative(first, second))
    matrices = intrinsics @ np.eye(3, 4), intrinsics @ moved[:3]
    views = points[:, :2], points[:, 2:]
    rows = [
        seen[:, axis, None] * matrix[2] - matrix[axis]
        for seen, matrix in zip(views, matrices, strict=True)
        for axis in (0, 1)
    ]
    system = np.stack(rows, axis=1)
    system /= np.maximum(np.linalg.norm(system, axis=2, keepdims=True), 1e-12)
    found = np.linalg.svd(system)[2][:, -1]
    distances = []
    with np.errstate(divide="ignore", invalid="ignore"):
        for seen, matrix in zip(views, matrices, strict=True):
            projected = found @ matrix.T
            distances.append(np.linalg.norm(projected[:, :2] / projected[:, 2:] - seen, axis=1))
    return _finite_mean(np.concatenate(distances))


def turn_error(points: Floats, intrinsics: Floats, first: Floats, second: Floats) -> float:
    """Mean distance in px by which matched points (K, 4) miss where a camera that only turned would see them.

    Ours, for pairs without a baseline: the residual of the homography K R K^-1, both ways.

    Source: this package.

    >>> turn_error(np.array([[3.0, 4.0, 3.0, 4.0], [1, 1, 1, 3]]), np.eye(3), np.eye(4), np.eye(4))
    1.0
    """
    turn = relative(first, second)[:3, :3]
    there = intrinsics @ turn @ np.linalg.inv(intrinsics)
    one, other = (np.concatenate([part, np.ones((len(points), 1))], 1) for part in (points[:, :2], points[:, 2:]))
    distances = []
    with np.errstate(divide="ignore", invalid="ignore"):
        for source, target, matrix in ((other, points[:, :2], there), (one, points[:, 2:], np.linalg.inv(there))):
            seen = source @ matrix.T
            distances.append(np.linalg.norm(seen[:, :2] / seen[:, 2:] - target, axis=1))
    return _finite_mean(np.concatenate(distances))


def baseline(first: Floats, second: Floats) -> float:
    """Distance of two camera centres.

    >>> baseline(np.eye(4), np.eye(4))
    0.0
    """
    return float(np.linalg.norm(first[:3, 3] - second[:3, 3]))


def score_of_errors(errors: Floats, order: Order = "exp_of_mean") -> float:
    """exp(-E) with E the mean of the pairs' errors in px, or the mean of each pair's own exp(-E).

    Source: MBench, Eq. 8 and 10.

    >>> round(score_of_errors(np.array([0.0, 2.0])), 4), round(score_of_errors(np.array([0.0, 2.0]), "mean_of_exp"), 4)
    (0.3679, 0.5677)
    """
    return float(np.exp(-errors.mean())) if order == "exp_of_mean" else float(np.exp(-errors).mean())


def _finite_mean(distances: Floats) -> float:
    """Mean of what is finite; NaN where nothing is, as without any baseline."""
    finite = distances[np.isfinite(distances)]
    return float(finite.mean()) if finite.size else float("nan")
