"""How a picture was taken, from its straight lines: roll, pitch and field of view of a world of upright boxes.

Upright edges meet in one vanishing point, which gives the way up. Level edges then each name a compass direction; the
field of view is the one under which these fall into two at a right angle. What the lines do not settle is None.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Segments = Floats
"""(N, 4): x and y of both ends, from the middle of the picture in halves of its height, x right and y down."""

SHORTEST = 0.06
"""Halves of the height; shorter lines tell little."""
FEWEST = 5
"""Lines that must agree on the way up, and on a compass direction."""
UPRIGHT = np.radians(40)
"""How far from the picture's own vertical an upright edge may lean."""
CLOSE = np.radians(1.5)
"""How far a line may point past a vanishing point that it belongs to."""
AGREEING = 0.35
"""Share of the candidate lines, by length, that must agree."""
FIELDS = np.arange(10.0, 121.0, 2.0)
"""Vertical fields of view that are tried, degrees."""
CANDIDATES = 60
"""Longest level lines whose compass directions are tried."""
TELLING = 0.1
"""Share of the lines that must speak for one field of view and against another."""
PLAUSIBLE = 0.2
"""A field of view that loses no more than this share of what the best one gains over the worst may be true as well."""
WIDEST_FIELD, WIDEST_PITCH = 25.0, 10.0
"""Degrees; a figure that could be anything over more than this is not told."""
FAR = 4.0
"""Halves of the height from the middle: lines that meet beyond are upright even where the lens is not known."""
PAIRS = 400
"""Pairs of lines that are tried for the upright vanishing point."""


@dataclass(frozen=True)
class Perspective:
    """Degrees; None where the picture's lines do not tell."""

    roll: float | None
    """0 level; positive where what is upright leans to the right in the picture."""
    pitch: float | None
    """0 level; positive where the camera looks up."""
    fov: float | None
    """Vertical field of view."""


def perspective(segments: Segments) -> Perspective:
    """Roll, pitch and vertical field of view from straight lines; the optical axis is taken to be in the middle.

    Own method, after the vanishing points of Caprile and Torre (1990) and the Manhattan world of Coughlan and Yuille
    (1999).
    """
    ends = segments.reshape(-1, 2, 2)
    run = ends[:, 1] - ends[:, 0]
    length = np.linalg.norm(run, axis=1)
    ends, run, length = (array[length >= SHORTEST] for array in (ends, run, length))
    leaning = np.abs(np.arctan2(run[:, 0], np.where(run[:, 1] < 0, -1, 1) * run[:, 1])) <= UPRIGHT
    zenith = _upright(ends[leaning], length[leaning])
    if zenith is None:
        return Perspective(None, None, None)
    level = ~_belongs(zenith, ends)
    plausible = _plausible_fields(zenith, ends[level], length[level])
    ups = [_up(zenith, focal) for focal in _focal(plausible)]
    pitches = [float(np.degrees(np.arcsin(up[2]))) for up in ups]
    pitch = pitches[0] if np.ptp(pitches) <= WIDEST_PITCH else None
    # Beams under a ceiling, seen from below, point the same way as uprights do, but to a point that is near.
    upright = pitch is not None or float(np.linalg.norm(zenith[:2])) >= FAR * abs(float(zenith[2]))
    return Perspective(
        roll=float(np.degrees(np.arctan2(ups[0][0], -ups[0][1]))) if upright else None,
        pitch=pitch,
        fov=float(plausible[0]) if np.ptp(plausible) <= WIDEST_FIELD else None,
    )


def _upright(ends: Floats, length: Floats) -> Floats | None:
    """Homogeneous vanishing point (3,) of the upright edges; None where too few agree."""
    if len(ends) < FEWEST:
        return None
    lines = _lines(ends)
    draw = np.random.default_rng(0)
    # Long lines point more exactly, so they are drawn more often.
    pairs = draw.choice(len(ends), (PAIRS, 2), p=length / length.sum())
    points = np.cross(lines[pairs[:, 0]], lines[pairs[:, 1]])
    points = points[np.linalg.norm(points, axis=1) > 1e-9]
    if not len(points):
        return None
    support = [float(length[_belongs(point, ends)].sum()) for point in points]
    point = points[int(np.argmax(support))]
    for _ in range(3):
        chosen = _belongs(point, ends)
        if int(chosen.sum()) < FEWEST or length[chosen].sum() < AGREEING * length.sum():
            return None
        weighted = lines[chosen] * length[chosen, None]
        point = np.linalg.svd(weighted)[2][-1]
    return np.asarray(point)


def _plausible_fields(zenith: Floats, ends: Floats, length: Floats) -> Floats:
    """Fields of view that explain the level edges, the best first; all of them where the edges do not tell."""
    if len(ends) < FEWEST:
        return FIELDS
    agreement = np.array([_agreement(_up(zenith, focal), focal, ends, length) for focal in _focal(FIELDS)])
    best, told = int(np.argmax(agreement)), float(np.ptp(agreement))
    if agreement[best] < AGREEING or told < TELLING:
        return FIELDS
    others = (agreement >= agreement[best] - PLAUSIBLE * told) & (np.arange(len(FIELDS)) != best)
    return np.concatenate([FIELDS[best : best + 1], FIELDS[others]])


def _agreement(up: Floats, focal: float, ends: Floats, length: Floats) -> float:
    """Share of the level edges, by length, that lead to the best two compass directions at a right angle."""
    longest = np.argsort(-length, kind="stable")[:CANDIDATES]
    rays = np.concatenate([ends[longest], np.full((len(longest), 2, 1), focal)], axis=2)
    along = np.cross(np.cross(rays[:, 0], rays[:, 1]), up)
    across = np.cross(up, along)
    miss = np.minimum(_miss(_seen(along, focal), ends), _miss(_seen(across, focal), ends))
    near = np.exp(-0.5 * (miss / np.sin(CLOSE)) ** 2)
    return float((near @ length).max() / length.sum())


def _seen(directions: Floats, focal: float) -> Floats:
    """Homogeneous vanishing points (N, 3) of directions in camera axes."""
    return np.asarray(directions * [focal, focal, 1.0])


def _lines(ends: Floats) -> Floats:
    """Homogeneous lines (N, 3) of unit normal through both ends."""
    points = np.concatenate([ends, np.ones((len(ends), 2, 1))], axis=2)
    lines = np.cross(points[:, 0], points[:, 1])
    return np.asarray(lines / np.linalg.norm(lines[:, :2], axis=1, keepdims=True))


def _belongs(point: Floats, ends: Floats) -> NDArray[np.bool_]:
    """Whether each line points to a vanishing point (3,)."""
    return np.asarray(_miss(point[None], ends)[0] <= np.sin(CLOSE))


def _miss(points: Floats, ends: Floats) -> Floats:
    """Sine of the angle between each line and the way from its middle to a vanishing point, (points, lines)."""
    middle, run = ends.mean(axis=1), ends[:, 1] - ends[:, 0]
    towards = points[:, None, :2] - middle * points[:, None, 2:]
    across = np.abs(run[:, 0] * towards[..., 1] - run[:, 1] * towards[..., 0])
    reach = np.linalg.norm(run, axis=1) * np.linalg.norm(towards, axis=2)
    return np.asarray(across / np.maximum(reach, 1e-12))


def _up(zenith: Floats, focal: float) -> Floats:
    """Unit vector to the sky in camera axes (x right, y down, z ahead)."""
    ray = np.array([zenith[0], zenith[1], zenith[2] * focal])
    return np.asarray(ray / np.linalg.norm(ray) * (-1.0 if ray[1] > 0 else 1.0))


def _focal(fields: Floats) -> Floats:
    """Focal lengths in halves of the height."""
    return np.asarray(1 / np.tan(np.radians(fields) / 2))


def straight_lines(grey: NDArray[np.uint8]) -> Segments:
    """Straight edges (N, 4) of a grey picture (H, W), as `perspective` takes them."""
    import cv2

    height, width = grey.shape
    found = cv2.createLineSegmentDetector().detect(grey)[0]
    if found is None:
        return np.zeros((0, 4))
    # The detector counts from the middle of the first pixel.
    corner = np.tile([width / 2 - 0.5, height / 2 - 0.5], 2)
    return np.asarray((found.reshape(-1, 4).astype(np.float64) - corner) / (height / 2))
