"""Style by Gram matrices of feature maps (Gatys et al., 2015)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.vgg_style import gram_matrix

Floats = NDArray[np.float32]
Matrix = NDArray[np.floating[Any]]


def gram_mse(features: Floats, reference: Floats) -> float:
    """Mean squared difference of the Gram matrices of two feature maps."""
    return matrix_mse(gram_matrix(features), gram_matrix(reference))


def gram_distance(features: Floats, reference: Floats) -> float:
    """Frobenius norm of the difference of the Gram matrices of two feature maps."""
    return matrix_distance(gram_matrix(features), gram_matrix(reference))


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
