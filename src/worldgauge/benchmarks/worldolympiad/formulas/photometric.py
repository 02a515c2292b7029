"""How well a static scene made of some frames shows the others: likeness and distance of what was seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.photometric import psnr_of, ssim_map

Images = NDArray[np.uint8]
Masks = NDArray[np.bool_]
LEAST_COVERED = 0.5
"""Share of a frame's static pixels that the scene must cover for the frame to count."""


@dataclass(frozen=True, eq=False)
class LaidOver:
    """The picture of a scene laid over the frame that it is held against."""

    shown: Images
    """(H, W, 3): the picture where it is compared, elsewhere the frame's own pixels."""
    compared: Masks
    """(H, W): pixels that the scene covers and that do not move by themselves."""
    covered: float
    """Share of the pixels that do not move by themselves that the scene covers."""

    @property
    def counts(self) -> bool:
        return self.covered >= LEAST_COVERED


@dataclass(frozen=True)
class Likeness:
    """One frame against its picture."""

    ssim: float
    psnr: float


def laid_over(frame: Images, picture: Images, seen: Masks, moving: Masks) -> LaidOver:
    """A frame (H, W, 3) and the picture of the scene from its camera, where it is `seen` (H, W) by the scene and not
    `moving`.

    >>> frame, picture = np.zeros((2, 2, 3), np.uint8), np.full((2, 2, 3), 9, np.uint8)
    >>> found = laid_over(frame, picture, np.array([[True, True], [False, True]]), np.eye(2, dtype=bool))
    >>> found.shown[..., 0].tolist(), found.covered
    ([[0, 9], [0, 0]], 0.5)
    """
    compared = ~moving & seen
    covered = float(compared.sum() / max(1, (~moving).sum()))
    return LaidOver(np.where(compared[..., None], picture, frame), compared, covered)


def likeness(frame: Images, shown: Images, compared: Masks) -> Likeness:
    """A frame and what is shown in its place, over the pixels `compared`; both as in `LaidOver`.

    Source: a house measure; the structural similarity is that of Wang (2004).

    >>> grey = np.full((16, 16, 3), 90, np.uint8)
    >>> likeness(grey, grey, np.ones((16, 16), bool))
    Likeness(ssim=1.0, psnr=99.0)
    """
    similarity = ssim_map(np.ascontiguousarray(shown), np.ascontiguousarray(frame))
    errors = (shown.astype(np.float64) - frame)[compared]
    return Likeness(float(similarity[compared].mean()), psnr_of(float((errors**2).mean())))


def distance_compared(distance: float, compared: Masks) -> float:
    """Perceptual distance of a frame and what is shown in its place, by the share of its pixels that were compared.

    Where nothing is compared both are equal and add nothing: a scene that covers less must not look better for it.

    Source: a house measure; the distance is LPIPS of Zhang and others (2018).

    >>> distance_compared(0.1, np.array([True, False]))
    0.2
    """
    return distance / float(compared.mean())
