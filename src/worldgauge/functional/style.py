"""Style as Gram matrices: which filter responses go together, wherever in the picture they occur."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

OPPONENTS = np.array([[1 / 3, 1 / 3, 1 / 3], [0.5, -0.5, 0.0], [0.25, 0.25, -0.5]], np.float32)
"""RGB to brightness and two opponent colours."""
LEVELS = 4
"""Octaves of the pyramid, from the full picture down."""
SMALLEST_SIDE = 4
"""Px; smaller octaves are left out."""
EDGE_GAIN = 4.0
"""Weight of derivatives against plain values, so that texture counts as much as colour."""


def gram(responses: Floats) -> Floats:
    """Mean product of every two channels of (H, W, C) filter responses: (C, C).

    >>> gram(np.array([[[1.0, 2.0]], [[3.0, 0.0]]], np.float32)).tolist()
    [[5.0, 1.0], [1.0, 2.0]]
    """
    rows = responses.reshape(-1, responses.shape[-1])
    return np.asarray(rows.T @ rows / len(rows), np.float32)


def gram_distance(first: Sequence[Floats], second: Sequence[Floats]) -> NDArray[np.float64]:
    """Frobenius distance between the Gram matrices of each layer, (layers,)."""
    return np.array([float(np.linalg.norm(a.astype(np.float64) - b)) for a, b in zip(first, second, strict=True)])


def gram_size(grams: Sequence[Floats]) -> NDArray[np.float64]:
    """Frobenius norm of the Gram matrix of each layer, (layers,)."""
    return np.array([float(np.linalg.norm(a.astype(np.float64))) for a in grams])


def filter_bank(image: NDArray[np.uint8]) -> list[Floats]:
    """Responses (h, w, 18) of a fixed bank at each octave of an RGB image (H, W, 3).

    Per opponent colour: the value, its first derivatives, and the sizes of its second derivatives. The sizes, being
    unsigned, tell how dots, lines and strokes go together with colour.
    """
    import cv2

    level = image.astype(np.float32) / 255 @ OPPONENTS.T
    responses = []
    for octave in range(LEVELS):
        if octave:
            level = cv2.pyrDown(level)
        if min(level.shape[:2]) < SMALLEST_SIDE:
            break
        smooth = cv2.GaussianBlur(level, (0, 0), 0.8)
        parts = [cv2.Sobel(smooth, cv2.CV_32F, dx, dy) / 8 for dx, dy in ((1, 0), (0, 1))]
        parts += [np.abs(cv2.Sobel(smooth, cv2.CV_32F, dx, dy)) / 4 for dx, dy in ((2, 0), (0, 2), (1, 1))]
        responses.append(np.concatenate([smooth, *(EDGE_GAIN * part for part in parts)], axis=-1))
    return responses
