"""Depth of points from two views with known poses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def inverse_depth(ray: Floats, target: Floats, centre: Floats) -> Floats:
    """(...) inverse depth r along the first camera's axis at which the second camera sees the point.

    `ray` (..., 3) is the bearing with z = 1 in the first camera, `target` (..., 3) the direction in which the second
    camera sees the point and `centre` (3,) the second camera's place, both in the first camera's axes. The vector
    ray - r centre must be parallel to target, so r = (target x centre) . (target x ray) / |target x centre|^2, the
    least-squares answer when they miss each other. Negative when the point would lie behind; 0 without baseline.

    >>> float(inverse_depth(np.array([0.0, 0, 1]), np.array([-0.5, 0, 2]), np.array([0.5, 0, 0])))
    0.5
    """
    across = np.cross(target, centre)
    square = (across**2).sum(axis=-1)
    return np.asarray((across * np.cross(target, ray)).sum(axis=-1) / np.maximum(square, 1e-18))


def pixels_per_inverse_depth(flat: Floats, centre: Floats, focal: float) -> Floats:
    """(...) how many pixels a point moves in the second view per unit of inverse depth.

    `flat` (..., 2) is where the second camera sees it, as x / z and y / z; `centre` as in `inverse_depth`.
    """
    return np.asarray(focal * np.linalg.norm(centre[:2] - flat * centre[2], axis=-1))
