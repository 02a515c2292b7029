"""Ours: does a target, or a person, that left the picture come back? Computed from the frames that show it.

Frames that show it fall into spells, parted by absences of at least `least` frames. It has left when an absence follows
the first spell, and it has returned when a later spell shows it in at least `least` frames: one detection is none.
Where the camera's path is known, only frames that see its place again count, and a target that is not there at the end,
though its place is in view, is lost.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.pose import relative

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Box = tuple[float, float, float, float]
Presence = Literal["unseen", "stayed", "returned", "lost"]
Stayed = Literal["no_value", "counts"]
"""What never leaves is no return and no fault; it has no value, or counts with its likeness to itself."""
LEAST_FRAMES = 3
"""Frames of a sighting, and of an absence, of a target that is followed through every frame."""
LEAST_SAMPLES = 2
"""The same of a person, who is looked for in 32 frames of the clip."""
MARGIN = 0.1
"""Of the picture's sides: by so much a place may seem to lie outside, since its depth is not known exactly."""
_ACROSS, _DOWN = (np.arange(20) + 0.5) / 20, (np.arange(10) + 0.5) / 10
"""Where a place is sampled, as shares of its sides."""


def presence(seen: Mask, least: int, near: Mask | None = None, inside: Mask | None = None) -> Presence:
    """What became of a target, by whether it is seen in each frame (N,).

    Of action clips: `near` (N,) is where the target's place is about in view, so that a sighting counts, `inside` (N,)
    where it is in view for sure, so that an absence at the end does.

    Source: this package.

    >>> [presence(np.array([*map(int, text)], bool), 2) for text in ("11100010", "11100110", "110111")]
    ['lost', 'returned', 'stayed']
    """
    at = np.flatnonzero(seen)
    if not len(at):
        return "unseen"
    spells = np.split(at, np.flatnonzero(np.diff(at) > least) + 1)
    if len(spells) == 1 and len(seen) - 1 - at[-1] < least:
        return "stayed"
    counts = np.ones(len(seen), bool) if near is None else near
    again = [spell for spell in spells[1:] if counts[spell].sum() >= least]
    if not again or (inside is not None and inside[again[-1][-1] + 1 :].sum() >= least):
        return "lost"
    return "returned"


def share_in_view(
    poses: Floats, intrinsics: Floats, size: tuple[int, int], box: Box, first: int, margin: float
) -> Floats:
    """Share of a place that lies in each frame's picture, enlarged by `margin` of its sides, (N,).

    The place is what the `box` (x0, y0, x1, y1 in px) shows in frame `first`, taken to be as far away as the scene
    usually is: 1, the unit of the poses (N, 4, 4).

    >>> lens, away = np.array([[50.0, 0, 50], [0, 50, 50], [0, 0, 1]]), np.tile(np.eye(4), (2, 1, 1))
    >>> away[1, [0, 2], [2, 0]], away[1, 0, 0], away[1, 2, 2] = (1, -1), 0.0, 0.0
    >>> share_in_view(away, lens, (100, 100), (40, 40, 60, 60), 0, 0.0).tolist()
    [1.0, 0.0]
    """
    x, y = np.meshgrid(box[0] + _ACROSS * (box[2] - box[0]), box[1] + _DOWN * (box[3] - box[1]))
    rays = np.stack([x.ravel(), y.ravel(), np.ones(x.size)], -1) @ np.linalg.inv(intrinsics).T
    moved = relative(poses, np.broadcast_to(poses[first], poses.shape))
    points = (rays @ np.swapaxes(moved[:, :3, :3], 1, 2) + moved[:, None, :3, 3]) @ intrinsics.T
    ahead = points[..., 2] > 1e-6
    seen = points[..., :2] / np.where(ahead, points[..., 2], 1.0)[..., None]
    beyond = margin * np.array(size)
    return np.asarray((ahead & ((seen >= -beyond) & (seen <= np.array(size) + beyond)).all(-1)).mean(axis=1))
