"""The scale that the released alignment gives a predicted path: Umeyama, with random subsets from six poses on.

The alignment turns and moves the path too, but both are undone when the path is seen from its first pose; only the
scale is left of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from worldgauge.functional.pose import Similarity, path_length, umeyama

Floats = NDArray[np.float64]

ROUNDS = 10
RANSAC_FROM = 6
"""Poses from which on subsets are drawn."""
STILL = 1e-4
"""A target whose path is shorter is not aligned to."""
SEED = 0
"""The original draws without a seed; its scores of poor clips vary by 0.1 with it."""


class Degenerate(Exception):
    """The centres determine no alignment: they are one point, or on a line."""


def aligned_scale(predicted: ArrayLike, target: ArrayLike, seed: int = SEED) -> float:
    """The factor on the predicted centres; 1 where the target stands still or nothing can be aligned."""
    a, b = _centres(predicted), _centres(target)
    if path_length(b) < STILL:
        return 1.0
    try:
        return _robust(a, b, seed).scale if len(a) >= RANSAC_FROM else fit(a, b).scale
    except Degenerate:
        return 1.0


def fit(source: Floats, target: Floats) -> Similarity:
    """Umeyama's similarity; refuses centres that determine none."""
    covariance = (target - target.mean(0)).T @ (source - source.mean(0)) / len(source)
    singular = np.linalg.svd(covariance, compute_uv=False)
    if np.count_nonzero(singular > np.finfo(np.float64).eps) < 2:
        raise Degenerate
    return umeyama(source, target)


def _robust(source: Floats, target: Floats, seed: int) -> Similarity:
    """The fit to the subset that most centres agree with."""
    kept = fit(source, target)
    moved = kept.points(source)
    # As released: to the nearest centre of the target, not to the one of the same frame.
    nearest = np.linalg.norm(moved[:, None] - target[None], axis=2).min(axis=1)
    limit = float(np.median(nearest))
    random = np.random.default_rng(seed)
    best: tuple[int, float] | None = None
    inliers = np.zeros(len(source), bool)
    for _ in range(ROUNDS):
        chosen = random.choice(np.arange(len(source)), size=max(3, (len(source) + 1) // 2), replace=False)
        try:
            candidate = fit(source[chosen], target[chosen])
        except Degenerate:
            continue
        errors = np.linalg.norm(candidate.points(source) - target, axis=1)
        within = errors <= limit
        rank = (int(within.sum()), -float(errors[within].mean()) if within.any() else -np.inf)
        if best is None or rank > best:
            best, inliers, kept = rank, within, candidate
    return fit(source[inliers], target[inliers]) if inliers.sum() >= 3 else kept


def _centres(poses: ArrayLike) -> Floats:
    return np.asarray(poses, np.float64)[:, :3, 3]
