"""When the target is gone and when it is back, read off the id maps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.case import Phases

SHARE = 0.9
"""Share of the target's silhouette that must be unhidden for it to count as fully visible."""


@dataclass(frozen=True, eq=False)
class Visibility:
    """How much of the target can be seen, per frame."""

    pixels: NDArray[np.int64]
    """(N,) visible pixels."""
    full: NDArray[np.bool_]
    """(N,) whether the whole target is seen: its silhouette keeps off the picture's border and is hardly hidden."""

    @classmethod
    def of(cls, visible: NDArray[np.bool_], amodal: NDArray[np.bool_]) -> Visibility:
        """From the visible and the amodal masks, both (N, H, W)."""
        pixels, whole = visible.sum((1, 2)), amodal.sum((1, 2))
        cut = amodal[:, [0, -1], :].any((1, 2)) | amodal[:, :, [0, -1]].any((1, 2))
        return cls(pixels, ~cut & (pixels > 0) & (pixels >= SHARE * whole))


def find_phases(visibility: Visibility) -> Phases | None:
    """First frame without a target pixel, and the first later frame with the whole target; `None` without both."""
    away = np.flatnonzero(visibility.pixels == 0)
    if len(away) == 0:
        return None
    gone = int(away[0])
    again = np.flatnonzero(visibility.full[gone:])
    return Phases(gone=gone, back=gone + int(again[0])) if len(again) else None


def complaint(visibility: Visibility, leaves: bool, smallest: int) -> str:
    """Why a draw cannot be used; empty when it can. `smallest` is the least area of a usable target, pixels."""
    if not visibility.full[0]:
        return "the target is not fully visible in the first frame"
    if visibility.pixels[0] < smallest:
        return "the target is too small in the first frame"
    if not leaves:
        return ""
    phases = find_phases(visibility)
    if phases is None:
        return "the target never leaves the view" if visibility.pixels.all() else "the target does not come back"
    if phases.gone < 2 or not (visibility.pixels[phases.back :] > 0).all():
        return "the target does not stay in view before it leaves or after it is back"
    return ""
