"""Ours: did the camera of an action clip really leave the first view, or the target in it, and come back?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.pose import geodesic_deg

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Excursion:
    """How far a camera went away, and how far from its start it ended."""

    turn: float
    """Degrees at the farthest."""
    step: float
    """In scene depths at the farthest."""
    turn_left: float
    """Degrees between the first and the nearest of the last frames."""
    step_left: float


def excursion_of(poses: Floats, *, last: float = 0.1) -> Excursion:
    """From poses (N, 4, 4); it has come back as near as the nearest of the `last` share of the frames.

    >>> excursion_of(np.tile(np.eye(4), (5, 1, 1))).turn
    0.0
    """
    turns = geodesic_deg(poses[0, :3, :3], poses[:, :3, :3])
    steps = np.linalg.norm(poses[:, :3, 3] - poses[0, :3, 3], axis=1)
    ending = slice(-max(1, round(last * len(poses))), None)
    return Excursion(float(turns.max()), float(steps.max()), float(turns[ending].min()), float(steps[ending].min()))


def leaves_and_returns(shares: Floats, *, back: float = 0.5) -> bool:
    """Whether a place leaves the picture altogether and comes back by at least the share `back` of what was there.

    From the share of the place that is in each frame's picture, (N,), the first frame being the beginning. Which way
    the camera goes does not matter.

    Source: this package.

    >>> leaves_and_returns(np.array([1.0, 0, 0.6])), leaves_and_returns(np.array([1, 0.1, 1.0]))
    (True, False)
    """
    gone = np.flatnonzero(shares <= 0)
    return bool(gone.size and shares[0] > 0 and shares[gone[0] :].max() >= back * shares[0])
