"""The rotation between two views from matched bearings: closed form, and by consensus when some matches are wrong."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.projection import rays

Floats = NDArray[np.float64]


def bearings(pixel: Floats, focal: float, centre: tuple[float, float]) -> Floats:
    """Unit viewing directions (K, 3) of pixels (K, 2)."""
    ray = rays(pixel - np.asarray(centre), focal)
    return np.asarray(ray / np.linalg.norm(ray, axis=1, keepdims=True))


def fit_rotation(source: Floats, target: Floats, weight: Floats | None = None) -> Floats:
    """The rotation R that minimises sum w |R source - target|^2, over (..., K, 3). Kabsch 1976."""
    if weight is not None:
        source = source * weight[..., None]
    u, _, vt = np.linalg.svd(np.swapaxes(target, -1, -2) @ source)
    sign = np.ones((*u.shape[:-2], 3))
    sign[..., 2] = np.sign(np.linalg.det(u) * np.linalg.det(vt))
    return np.asarray((u * sign[..., None, :]) @ vt)


def _rotations_of_two(source: Floats, target: Floats) -> Floats:
    """The same for samples of two unit vectors, (N, 2, 3): their sum and difference are at right angles, so no SVD.

    Two vectors that are one give a matrix that turns nothing and agrees with nothing.
    """

    def frame(two: Floats) -> Floats:
        axes = np.stack([two[:, 0] + two[:, 1], two[:, 0] - two[:, 1]], axis=1)
        axes /= np.maximum(np.linalg.norm(axes, axis=2, keepdims=True), 1e-12)
        return np.concatenate([axes, np.cross(axes[:, 0], axes[:, 1])[:, None]], axis=1)

    return np.asarray(np.swapaxes(frame(target), 1, 2) @ frame(source))


def vote_rotation(source: Floats, target: Floats, within: float, *, draws: int = 300, seed: int = 0) -> tuple[
    Floats, NDArray[np.bool_]
]:  # fmt: skip
    """The rotation most matches agree with, and which agree within an angle of about `within` radians.

    Samples of two matches, truncated squared errors, then a refit on the matches that agree. Identity when there are
    fewer than two matches.
    """
    count = len(source)
    if count < 2:
        return np.eye(3), np.zeros(count, bool)
    random = np.random.default_rng(seed)
    first = random.integers(0, count, draws)
    pairs = np.stack([first, (first + random.integers(1, count, draws)) % count], axis=1)
    trial = _rotations_of_two(source[pairs], target[pairs])
    # |R s - t|^2 of unit vectors, all trials against all matches in one product: 2 - 2 t'R s.
    error = 2.0 - 2.0 * trial.reshape(draws, 9) @ (target[:, :, None] * source[:, None, :]).reshape(count, 9).T
    best = trial[np.minimum(error, within**2).sum(axis=1).argmin()]
    for _ in range(5):
        weight = 1.0 / (1.0 + ((source @ best.T - target) ** 2).sum(axis=1) / (within / 2) ** 2)
        best = fit_rotation(source, target, weight**2)
    return best, np.linalg.norm(source @ best.T - target, axis=1) < within
