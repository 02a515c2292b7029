"""Style by Gram matrices of feature maps (Gatys et al., 2015)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def gram_matrix(features: Floats) -> NDArray[np.float64]:
    """Inner products of the channels of a feature map (C, H, W), divided by its number of entries: (C, C).

    >>> gram_matrix(np.ones((2, 1, 2), np.float32)).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    flat = np.asarray(features, np.float64).reshape(features.shape[0], -1)
    return np.asarray(flat @ flat.T / flat.size)


def gram_mse(features: Floats, reference: Floats) -> float:
    """Mean squared difference of two Gram matrices: one layer of the released style score.

    Source: released code at commit 344983c; Gatys et al., 2015.
    """
    return float(np.mean((gram_matrix(features) - gram_matrix(reference)) ** 2))


def gram_distance(features: Floats, reference: Floats) -> float:
    """Frobenius norm of the difference of two Gram matrices: what the paper prints."""
    return float(np.linalg.norm(gram_matrix(features) - gram_matrix(reference)))
