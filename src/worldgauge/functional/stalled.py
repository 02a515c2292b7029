"""Where a target would be whose process stood still while nobody looked, read off the reference's own track."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
PATH_FRAMES = 8
"""Sightings from which the target's path is continued."""
SAME_STAND = 0.02
"""Share of the camera path's extent within which two cameras stand at one place: between them a target at any distance
moves by the turn alone."""


def stalled_place(places: Floats, poses: Floats, lens: Floats, gone: int, back: int, now: int) -> Floats:
    """Pixel (2,) in frame `now` of a target whose process lags by the frames it was out of view; NaN if unknown.

    `places` (N, 2): its true pixels, NaN where it is not whole in view; `poses` (N, 4, 4); `lens` (3, 3). The path it
    was on before it left is continued to the lagging time; where the camera never stood here before, the path it is on
    now is followed back instead. Either is straight.
    """
    lagging = now - (back - gone)
    stand = poses[:, :3, 3]
    reach = float(np.ptp(stand, axis=0).max())
    usable = np.isfinite(places).all(axis=1) & (np.linalg.norm(stand - stand[now], axis=1) <= SAME_STAND * reach + 1e-9)
    frames = np.flatnonzero(usable)
    before, after = frames[frames < gone][-PATH_FRAMES:], frames[frames >= back]
    around = np.sort(after[np.argsort(np.abs(after - now), kind="stable")[:PATH_FRAMES]])
    for known in (before, around):
        carried = np.array([carried_along(places[k], poses[k], poses[now], lens) for k in known])
        if len(known) >= 2 and np.isfinite(carried).all():
            return np.array([np.polyval(np.polyfit(known, values, 1), lagging) for values in carried.T])
    return np.full(2, np.nan)


def carried_along(pixel: Floats, source: Floats, target: Floats, intrinsics: Floats) -> Floats:
    """Where a pixel (2,) seen by camera `source` (4, 4) lies in the picture of camera `target`: rotation only."""
    ray = np.linalg.inv(intrinsics) @ np.array([pixel[0], pixel[1], 1.0])
    seen = intrinsics @ (target[:3, :3].T @ source[:3, :3] @ ray)
    return np.asarray(seen[:2] / seen[2]) if seen[2] > 1e-6 else np.full(2, np.nan)
