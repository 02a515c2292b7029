"""The arithmetic: arrays in, numbers out."""

from __future__ import annotations

import numpy as np


def colour_gap(first: np.ndarray, last: np.ndarray, *, squared: bool = False) -> float:
    """Distance of two colours (3,), in levels: the mean of the differences, or the root of the mean square.

    Source: the Turntable paper, Eq. 1.

    >>> colour_gap(np.array([0.0, 0.0, 3.0]), np.zeros(3))
    1.0
    """
    difference = np.abs(np.asarray(first, float) - np.asarray(last, float))
    return float(np.sqrt((difference**2).mean()) if squared else difference.mean())


def speed_errors(pixels: np.ndarray, degrees: np.ndarray, pixels_per_degree: float) -> np.ndarray:
    """How far each step is from the one asked for, as a share of it; (N,).

    Source: the Turntable paper, Eq. 2.

    >>> speed_errors(np.array([2.0, 3.0]), np.array([1.0, 1.0]), 2.0).tolist()
    [0.0, 0.5]
    """
    asked = np.asarray(degrees, float) * pixels_per_degree
    return np.minimum(np.abs(np.asarray(pixels, float) - asked) / np.maximum(asked, 1e-9), 1.0)
