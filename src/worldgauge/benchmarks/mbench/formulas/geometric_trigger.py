"""Ours: did an action clip really leave the first view and come back to it? Told from its camera path alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.pose import geodesic_deg

Floats = NDArray[np.float64]
Box = tuple[float, float, float, float]


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


def turn_that_hides(intrinsics: Floats, size: tuple[int, int], box: Box | None, right: bool) -> float:
    """Degrees of a turn that takes a box of the first view, or without one half of the view, out of sight.

    >>> lens = np.array([[50.0, 0, 50], [0, 50, 50], [0, 0, 1]])
    >>> round(turn_that_hides(lens, (100, 100), None, True), 6)
    45.0
    >>> round(turn_that_hides(lens, (100, 100), (50, 0, 100, 100), True), 6)
    90.0
    """
    focal, middle = float(intrinsics[0, 0]), float(intrinsics[0, 2])
    # A view that turns right pushes what it sees to the left edge.
    edge = middle if right else size[0] - middle
    inner = (0.0 if box is None else (box[2] - middle)) if right else (0.0 if box is None else (middle - box[0]))
    return float(np.degrees(np.arctan2(edge, focal) + np.arctan2(inner, focal)))


def leaves_and_returns(
    went: Excursion, hides: float, *, step: float = 0.5, home_turn: float = 10.0, home_step: float = 0.15
) -> bool:
    """Whether the camera turned by at least `hides` degrees or moved by `step`, and came home within both tolerances.

    Source: this package.

    >>> leaves_and_returns(Excursion(60, 0, 2, 0), 45), leaves_and_returns(Excursion(0, 0, 0, 0), 45)
    (True, False)
    """
    left = went.turn >= hides or went.step >= step
    return left and went.turn_left <= home_turn and went.step_left <= home_step
