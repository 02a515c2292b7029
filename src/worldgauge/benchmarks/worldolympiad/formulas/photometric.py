"""How well a static scene made of some frames shows the others: structural similarity and error of what was seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.photometric import psnr_of, ssim_map

Images = NDArray[np.uint8]
LEAST_COVERED = 0.5
"""Share of a frame's static pixels that the scene must cover for the frame to count."""


@dataclass(frozen=True)
class Likeness:
    """One frame against its picture."""

    ssim: float
    psnr: float
    covered: float
    """Share of the pixels that do not move by themselves that the scene covers."""

    @property
    def counts(self) -> bool:
        return self.covered >= LEAST_COVERED


def likeness(frame: Images, picture: Images, seen: NDArray[np.bool_], moving: NDArray[np.bool_]) -> Likeness:
    """A frame (H, W, 3) and the picture of the scene from its camera, over the pixels that are `seen` (H, W) by the
    scene and not `moving`. Elsewhere the picture takes the frame's own pixels, which are not counted.

    Source: a house measure; the structural similarity is that of Wang (2004).

    >>> grey = np.full((16, 16, 3), 90, np.uint8)
    >>> everywhere, nowhere = np.ones((16, 16), bool), np.zeros((16, 16), bool)
    >>> likeness(grey, grey, everywhere, nowhere)
    Likeness(ssim=1.0, psnr=99.0, covered=1.0)
    """
    still = ~moving
    counted = still & seen
    covered = float(counted.sum() / max(1, still.sum()))
    if not counted.any():
        return Likeness(float("nan"), float("nan"), covered)
    shown = np.where(counted[..., None], picture, frame)
    similarity = ssim_map(np.ascontiguousarray(shown), np.ascontiguousarray(frame))
    errors = (shown.astype(np.float64) - frame)[counted]
    return Likeness(float(similarity[counted].mean()), psnr_of(float((errors**2).mean())), covered)
