"""How alike the looks of one thing are over a clip: cosines to their mean."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.embedding import cosine

Floats = NDArray[np.floating]
Mask = NDArray[np.bool_]
Absent = Literal["skip", "zero", "zero_frames"]
"""A thing that is not there again: leaves its clip without a number, scores 0, or 0 in every frame without it."""


def centroid_similarities(vectors: Floats) -> NDArray[np.float64]:
    """Cosine of each vector (N, d) to the mean of all of them, (N,).

    Source: MBench, Eq. 5 and 6.

    >>> centroid_similarities(np.array([[1.0, 0.0], [0.0, 1.0]])).round(4).tolist()
    [0.7071, 0.7071]
    """
    return cosine(vectors, vectors.mean(axis=0))


def seen_again(seen: Mask) -> bool:
    """Whether it is seen in both halves of a clip, by whether it is seen in each frame (N,).

    >>> seen_again(np.array([True, True, False, False])), seen_again(np.array([True, False, False, True]))
    (False, True)
    """
    half = len(seen) // 2
    return bool(seen[:half].any() and seen[half:].any())
