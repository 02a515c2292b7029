"""Style by Gram matrices of feature maps (Gatys et al., 2015)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.floating[Any]]


def matrix_mse(first: Matrix, second: Matrix) -> float:
    """Mean squared difference of two Gram matrices: one layer of the released style score.

    Source: released code at commit 344983c; Gatys et al., 2015.

    >>> matrix_mse(np.eye(2), np.zeros((2, 2)))
    0.5
    """
    return float(np.mean((np.asarray(first, np.float64) - second) ** 2))


def matrix_distance(first: Matrix, second: Matrix) -> float:
    """Frobenius norm of the difference of two Gram matrices: what the paper prints.

    >>> matrix_distance(np.eye(4), np.zeros((4, 4)))
    2.0
    """
    return float(np.linalg.norm(np.asarray(first, np.float64) - second))
