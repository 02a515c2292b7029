"""Smoothing of an estimated camera path."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
REACH = 4.0
"""Standard deviations after which the weights are cut off."""


def smooth_poses(poses: ArrayLike, sigma: float) -> Floats:
    """Camera-to-world poses (N, 4, 4) under a Gaussian window of `sigma` frames; 0 leaves them as they are.

    Rotations are averaged as the nearest rotation to the weighted sum, positions directly. Beyond its ends the path
    goes on as its reflection through the end pose, so that a camera in even motion is not slowed there.

    Source: arXiv 2606.27537, 3.1 (that real paths are smoothed; the window is ours).

    >>> path = np.tile(np.eye(4), (5, 1, 1)); path[:, 0, 3] = range(5)
    >>> np.allclose(smooth_poses(path, 2.0), path)
    True
    """
    path = np.asarray(poses, np.float64)
    reach = min(int(np.ceil(REACH * sigma)), len(path) - 1)
    if reach <= 0:
        return path.copy()
    offsets = np.arange(-reach, reach + 1)
    weights = np.exp(-0.5 * (offsets / sigma) ** 2)
    weights /= weights.sum()
    padded = np.concatenate([_beyond(path, reach)[::-1], path, _beyond(path[::-1], reach)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, len(offsets), axis=0)
    mean = np.einsum("nijk,k->nij", windows, weights)
    left, _, right = np.linalg.svd(mean[:, :3, :3])
    turned = np.linalg.det(left @ right)
    left[:, :, 2] *= turned[:, None]
    smooth = np.tile(np.eye(4), (len(path), 1, 1))
    smooth[:, :3, :3], smooth[:, :3, 3] = left @ right, mean[:, :3, 3]
    return smooth


def _beyond(path: Floats, reach: int) -> Floats:
    """Poses before the first one, nearest first: the path reflected through it."""
    first, rest = path[0], path[1 : reach + 1]
    poses = np.tile(np.eye(4), (reach, 1, 1))
    poses[:, :3, :3] = first[:3, :3] @ np.swapaxes(rest[:, :3, :3], 1, 2) @ first[:3, :3]
    poses[:, :3, 3] = 2 * first[:3, 3] - rest[:, :3, 3]
    return poses
