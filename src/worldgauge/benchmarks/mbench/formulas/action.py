"""Does the camera go the way the instruction says: twists between frames against the ideal one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.pose import relative

Floats = NDArray[np.float64]
ToUnit = Literal["half", "positive"]
"""A cosine as a score: (1 + cos) / 2, or max(0, cos)."""

TWISTS: dict[str, tuple[float, ...]] = {
    "left": (0, 0, 0, 0, -1, 0),
    "right": (0, 0, 0, 0, 1, 0),
    "forward": (0, 0, 1, 0, 0, 0),
    "backward": (0, 0, -1, 0, 0, 0),
    "wait": (0, 0, 0, 0, 0, 0),
}
"""Verb to the way the camera goes, in its own axes (x right, y down, z forward): metres, then turns by the right hand.
With camera-to-world poses a turn about +y looks right; the paper writes the same turn for world-to-camera matrices,
where left is +1."""


def twists(poses: Floats) -> Floats:
    """How the camera moves from each frame to the next, (N, 4, 4) to (N-1, 6): step and turn in its own axes.

    >>> right = np.tile(np.eye(4), (2, 1, 1))
    >>> right[1, [0, 2], [0, 2]], right[1, 0, 2], right[1, 2, 0] = np.cos(0.1), np.sin(0.1), -np.sin(0.1)
    >>> twists(right).round(6).tolist()[0]
    [0.0, 0.0, 0.0, 0.0, 0.1, 0.0]
    """
    moved = relative(poses[:-1], poses[1:])
    turn = moved[:, :3, :3]
    axis = np.stack([turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]], -1)
    sine = np.linalg.norm(axis, axis=1) / 2
    angle = np.arctan2(sine, (np.trace(turn, axis1=1, axis2=2) - 1) / 2)
    # Half a turn between two frames has no direction; a video has none.
    factor = np.where(sine > 1e-12, angle / np.maximum(2 * sine, 1e-12), 0.5)
    return np.concatenate([moved[:, :3, 3], axis * factor[:, None]], axis=1)


def action_scores(
    found: Floats, ideal: Floats, *, to_unit: ToUnit = "half", rotation_only: bool = False, least: float = 1e-6
) -> Floats:
    """Likeness of each twist (N-1, 6) to the ideal one, in [0, 1]; NaN where the instruction is to wait.

    Only the direction counts: cos of the two. A camera that does not move where it should, by less than `least`, has
    no direction and scores 0. Steps have no unit and turns are radians, yet share one norm, so noise in the steps
    outweighs slow turns: `rotation_only` leaves the steps out where the ideal has none.

    Source: MBench, Eq. 16 and 17.

    >>> ideal = np.array([TWISTS["left"]])
    >>> exact, mirrored, orthogonal = (np.array([row]) for row in (ideal[0] / 50, -ideal[0], np.eye(6)[0]))
    >>> [action_scores(found, ideal).item() for found in (exact, mirrored, orthogonal)]
    [1.0, 0.0, 0.5]
    """
    moves = np.linalg.norm(ideal, axis=1) > 0
    if rotation_only:
        turns = moves & ~(ideal[:, :3] != 0).any(axis=1)
        found = np.where(turns[:, None] & (np.arange(6) < 3), 0.0, found)
    length = np.linalg.norm(found, axis=1)
    cosine = (found * ideal).sum(1) / np.maximum(length * np.linalg.norm(ideal, axis=1), 1e-18)
    scores = (1 + cosine) / 2 if to_unit == "half" else np.maximum(cosine, 0.0)
    return np.asarray(np.where(moves, np.where(length < least, 0.0, np.clip(scores, 0, 1)), np.nan))


def followed_cosines(found: Floats, ideal: Floats) -> Floats:
    """Cosine of each twist (N-1, 6) to the ideal one, in [-1, 1]; NaN where the instruction is to wait.

    Ours, for `smoothed_twists`: a camera that stands still has a cosine of 0, one that goes the wrong way a negative
    one. Where the instruction is to turn, only the turns are compared.

    Source: this package.

    >>> ideal = np.array([TWISTS["left"]] * 2)
    >>> followed_cosines(np.array([ideal[0] / 50, np.zeros(6)]), ideal).tolist()
    [1.0, 0.0]
    """
    moves = np.linalg.norm(ideal, axis=1) > 0
    turns = moves & ~(ideal[:, :3] != 0).any(axis=1)
    found = np.where(turns[:, None] & (np.arange(6) < 3), 0.0, found)
    lengths = np.linalg.norm(found, axis=1) * np.linalg.norm(ideal, axis=1)
    cosine = np.where(lengths > 1e-12, (found * ideal).sum(1) / np.maximum(lengths, 1e-12), 0.0)
    return np.asarray(np.where(moves, np.clip(cosine, -1, 1), np.nan))


def ideal_twists(legs: Sequence[tuple[str, float]], steps: int) -> Floats:
    """The ideal twist of each of `steps` steps, (steps, 6), from verbs and the shares of the clip they last.

    >>> ideal_twists([("left", 0.5), ("right", 0.5)], 4)[:, 4].tolist()
    [-1.0, -1.0, 1.0, 1.0]
    """
    ends = np.cumsum([share for _, share in legs])
    at = np.searchsorted(ends / ends[-1], (np.arange(steps) + 0.5) / steps)
    return np.array([TWISTS[legs[int(k)][0]] for k in at], np.float64).reshape(-1, 6)
