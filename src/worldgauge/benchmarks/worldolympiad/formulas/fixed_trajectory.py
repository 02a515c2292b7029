"""The house variant of the trajectory score: every path is compared with its reference, also one that hardly moves.

Per frame the recovered camera is held against that of the reference, and the mean error against the error of a camera
that stands still. So an exact copy gets 1 however little the reference moves, standing still gets little wherever the
reference moves, and turning the wrong way gets less than that. Paths are laid over each other as wholes, by the
rotation and shift that fit best, so that one trembling first frame does not tilt the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from worldgauge.functional.pose import geodesic_deg

Floats = NDArray[np.float64]

LEAST_DEGREES, LEAST_METRES = 0.85, 0.3
"""Errors that are forgiven in part however little the reference moves: poses are estimates and tremble."""
SCALES = (0.5, 2.0)
"""How wrong the size of an estimated world may be, where the reference moves enough to tell."""


@dataclass(frozen=True)
class FixedScore:
    """The score and its parts."""

    score: float
    translation: float
    rotation: float
    degrees: float
    """Mean angle between the two cameras."""
    metres: float
    """Mean distance of their centres."""


def fixed_score(predicted: ArrayLike, target: ArrayLike) -> FixedScore:
    """From 0 to 1: the geometric mean of how well the camera turns and how well it moves.

    Source: a house variant of the released trajectory score.

    >>> pan = np.tile(np.eye(4), (32, 1, 1))
    >>> turns = np.radians(np.linspace(0, 15, 32))
    >>> pan[:, 0, 0] = pan[:, 2, 2] = np.cos(turns)
    >>> pan[:, 0, 2], pan[:, 2, 0] = np.sin(turns), -np.sin(turns)
    >>> fixed_score(pan, pan).score
    1.0
    """
    ours, wanted = np.asarray(predicted, np.float64), np.asarray(target, np.float64)
    turned = _best_rotation(ours[:, :3, :3], wanted[:, :3, :3])
    degrees = _angle(turned @ ours[:, :3, :3], wanted[:, :3, :3])
    upright = np.tile(np.eye(3), (len(wanted), 1, 1))
    degrees_still = _angle(_best_rotation(upright, wanted[:, :3, :3]) @ upright, wanted[:, :3, :3])

    a = _centred(ours[:, :3, 3]) @ turned.T
    b = _centred(wanted[:, :3, 3])
    metres_still = _distance(b, np.zeros_like(b))
    metres = _distance(a * _scale(a, b, metres_still), b)
    rotation = _likeness(degrees, degrees_still, LEAST_DEGREES)
    translation = _likeness(metres, metres_still, LEAST_METRES)
    return FixedScore(float(np.sqrt(rotation * translation)), translation, rotation, degrees, metres)


def _likeness(error: float, of_standing_still: float, least: float) -> float:
    """1 without an error, exp(-2) for a camera that stands still where the reference moves.

    Small errors cost little, as their square does; large ones go on costing, so that further away is always worse.
    """
    share = error / max(of_standing_still / np.sqrt(3), least)
    return float(np.exp(-2 * (np.sqrt(1 + share**2) - 1)))


def _best_rotation(ours: Floats, wanted: Floats) -> Floats:
    """The rotation A for which A ours_i is nearest to wanted_i over all frames."""
    u, _, vt = np.linalg.svd(np.einsum("nij,nkj->ik", wanted, ours))
    sign = np.array([1.0, 1.0, np.sign(np.linalg.det(u @ vt)) or 1.0])
    return np.asarray((u * sign) @ vt)


def _scale(ours: Floats, wanted: Floats, moved: float) -> float:
    square = float((ours**2).sum())
    if moved < 2 * LEAST_METRES or square < 1e-12:
        return 1.0
    return float(np.clip((ours * wanted).sum() / square, *SCALES))


def _centred(points: Floats) -> Floats:
    return np.asarray(points - points.mean(axis=0))


def _angle(a: Floats, b: Floats) -> float:
    # Below this the half-angle form tells rounding.
    return float(np.where((found := geodesic_deg(a, b)) < 1e-6, 0.0, found).mean())


def _distance(a: Floats, b: Floats) -> float:
    return float(np.linalg.norm(a - b, axis=1).mean())
