"""The trajectory score of the released code: how a recovered camera path follows that of the reference.

Poses are (L, 4, 4) camera-to-world. All in double precision; the original computes in single, which moves its scores by
up to 0.001, and by 0.1 where a path without rotation lies in a turned world.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from worldgauge.functional.pose import path_length

Floats = NDArray[np.float64]

STILL_TRANSLATION, STILL_ROTATION = 1e-4, 1e-3
"""Length of a path, and its summed angle in degrees, below which it does not move, or not turn."""
NEAR_STATIC = (0.01, 0.5)
"""Length and degrees per step below which a reference counts as one that stands still and trembles."""


@dataclass(frozen=True)
class Profile:
    """What a path is like: seen from its first pose."""

    centres: Floats
    rotations: Floats
    length: float
    degrees: float
    """Summed angle of its steps."""


@dataclass(frozen=True)
class TrajectoryScore:
    """The score and its parts."""

    score: float
    translation: float
    rotation: float
    near_static: bool


def angles(a: Floats, b: Floats) -> Floats:
    """Degrees between rotations (..., 3, 3), by the arc cosine of the trace, as released: exact to 1e-6 only."""
    trace = np.einsum("...ij,...ij->...", a, b)
    return np.asarray(np.degrees(np.arccos(np.clip((trace - 1.0) / 2.0, -1.0, 1.0))))


def profile(poses: ArrayLike) -> Profile:
    """A path seen from its first pose."""
    given = np.asarray(poses, np.float64)
    # The plain inverse: estimates are rotations to seven digits only, and the arc cosine tells the difference.
    moved = np.linalg.inv(given[0]) @ given
    # The product is that but for its last digit, of which the arc cosine makes a millionth of a degree.
    moved[0] = np.eye(4)
    rotations = moved[:, :3, :3]
    return Profile(
        moved[:, :3, 3], rotations, path_length(moved[:, :3, 3]), float(angles(rotations[:-1], rotations[1:]).sum())
    )


def compare_profiles(predicted: ArrayLike, target: ArrayLike, scale: float = 1.0) -> TrajectoryScore:
    """Steps 4 to 7 of the released score. `scale` multiplies the predicted centres: all that an alignment changes.

    Source: released code at commit bb2e240; arXiv 2606.11129 prints no thresholds.

    >>> forward = np.tile(np.eye(4), (32, 1, 1))
    >>> forward[:, 2, 3] = np.linspace(0, 10, 32)
    >>> still = np.tile(np.eye(4), (32, 1, 1))
    >>> round(compare_profiles(still, forward).score, 6)
    0.2197
    """
    scaled = np.array(predicted, np.float64)
    scaled[:, :3, 3] *= scale
    ours, wanted = profile(scaled), profile(target)
    steps = max(len(wanted.centres) - 1, 1)
    near_static = wanted.length / steps < NEAR_STATIC[0] and wanted.degrees / steps < NEAR_STATIC[1]
    still, unturned = wanted.length < STILL_TRANSLATION, wanted.degrees < STILL_ROTATION
    translation = float(np.exp(-ours.length / 3)) if still or near_static else _translation(ours, wanted, steps)
    rotation = float(np.exp(-ours.degrees / 5)) if unturned or near_static else _rotation(ours, wanted)
    if near_static or (still and unturned):
        score = translation * rotation
    elif still:
        score = 0.2 * translation + 0.8 * rotation
    elif unturned:
        score = 0.8 * translation + 0.2 * rotation
    else:
        score = (translation + rotation) / 2
    return TrajectoryScore(float(np.clip(score, 0.0, 1.0)), translation, rotation, near_static)


def _translation(ours: Profile, wanted: Profile, steps: int) -> float:
    a, b = ours.centres.ravel(), wanted.centres.ravel()
    norms = float(np.linalg.norm(a)), float(np.linalg.norm(b))
    if max(norms) < 1e-6:
        direction = 1.0
    elif min(norms) < 1e-6:
        direction = 0.0
    else:
        direction = (float(a @ b) / (norms[0] * norms[1]) + 1) / 2
    distance = float(np.linalg.norm(ours.centres - wanted.centres, axis=1).mean())
    near = float(np.exp(-distance / (2 * max(wanted.length / steps, 1.0))))
    return 0.4 * direction + 0.3 * _alike(ours.length, wanted.length) + 0.3 * near


def _rotation(ours: Profile, wanted: Profile) -> float:
    errors = angles(ours.rotations, wanted.rotations)
    return float(
        0.5 * np.exp(-errors.mean() / 6) + 0.3 * np.exp(-errors[-1] / 6) + 0.2 * _alike(ours.degrees, wanted.degrees)
    )


def _alike(ours: float, wanted: float) -> float:
    """1 for equal amounts, the smaller over the larger otherwise."""
    return float(np.exp(-abs(np.log((ours + 1e-6) / (wanted + 1e-6)))))
