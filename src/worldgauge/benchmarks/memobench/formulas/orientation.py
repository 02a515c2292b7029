"""Whether a clip starts the way up and the way round that its first image is."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FLIPS = ((1, 1), (-1, 1), (1, -1), (-1, -1))
"""Steps along rows and columns: as it is, upside down, mirrored, turned by half."""
CLEARLY = 0.1
"""Correlation by which a flipped picture must be more like the first image than the clip's own is."""


def flip_likeness(first: ArrayLike, reference: ArrayLike) -> NDArray[np.float64]:
    """Correlation of a grey picture (H, W), in each of the `FLIPS`, with another of its size; 0 for an even one.

    >>> ramp = np.arange(6.0).reshape(2, 3)
    >>> flip_likeness(ramp[::-1, ::-1], ramp).round(2).tolist()[3]
    1.0
    """
    shown, wanted = (image - image.mean() for image in (np.asarray(first, float), np.asarray(reference, float)))
    length = float(np.linalg.norm(shown) * np.linalg.norm(wanted))
    if length == 0.0:
        return np.zeros(len(FLIPS))
    return np.array([float((shown[::rows, ::columns] * wanted).sum()) / length for rows, columns in FLIPS])


def starts_flipped(likeness: ArrayLike) -> bool:
    """Whether some flip of the clip's first frame is clearly more like the first image than the frame itself.

    Source: ours.

    >>> starts_flipped([0.1, 0.9, 0.2, 0.0]), starts_flipped([0.9, 0.95, 0.2, 0.0])
    (True, False)
    """
    own, *flipped = np.asarray(likeness, np.float64).tolist()
    return bool(max(flipped) > own + CLEARLY)
