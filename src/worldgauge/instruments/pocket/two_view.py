"""What two frames say about the motion between them: a turn alone, or a turn and a step. Decided by evidence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.projection import rays
from worldgauge.functional.turn import bearings, vote_rotation

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Lens:
    """Square pixels, no distortion, principal point in the middle of the frame unless the case says otherwise."""

    focal: float
    """Px."""
    centre: tuple[float, float]
    """Px, pixel centres at +0.5."""
    size: tuple[int, int]
    """Width and height, px."""

    @property
    def tolerance(self) -> float:
        """How far a correct match may lie from its prediction, px: grows slowly with the size of the frame."""
        return max(1.0, max(self.size) / 480)

    def scaled(self, factor: float, size: tuple[int, int]) -> Lens:
        """The same lens for frames resized by `factor` to `size`."""
        return Lens(self.focal * factor, (self.centre[0] * factor, self.centre[1] * factor), size)

    def matrix(self) -> Floats:
        """(3, 3) intrinsics."""
        return np.array([[self.focal, 0, self.centre[0]], [0, self.focal, self.centre[1]], [0, 0, 1.0]])

    def camera(self) -> dict[str, object]:
        """The same lens in poselib's words."""
        return {
            "model": "SIMPLE_PINHOLE", "width": self.size[0], "height": self.size[1],
            "params": [self.focal, *self.centre],
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Turn:
    """The best pure rotation between two frames."""

    rotation: Floats
    """(3, 3) second camera in the first."""
    residual: float
    """Median distance of the matches from it, px: the parallax it leaves unexplained."""
    share: float
    """Share of the matches it explains within the tolerance."""
    agree: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Step:
    """The best rotation and translation direction between two frames."""

    rotation: Floats
    """(3, 3) second camera in the first."""
    direction: Floats
    """(3,) unit vector from the first centre to the second, in the first camera."""
    share: float
    agree: NDArray[np.bool_]
    inverse_depth: Floats
    """(K,) of the matches in the first camera, in units of 1/step; 0 where it comes out negative."""


def fit_turn(first: Floats, second: Floats, lens: Lens) -> Turn:
    """The rotation most matches (K, 2) agree with."""
    ahead, behind = bearings(first, lens.focal, lens.centre), bearings(second, lens.focal, lens.centre)
    rotation, agree = vote_rotation(behind, ahead, 3.0 * lens.tolerance / lens.focal)
    if not len(agree):
        return Turn(rotation, 0.0, 0.0, agree)
    error = lens.focal * np.linalg.norm(behind @ rotation.T - ahead, axis=1)
    return Turn(rotation, float(np.median(error)), float(agree.mean()), agree)


def fit_step(first: Floats, second: Floats, lens: Lens) -> Step | None:
    """The essential geometry most matches (K, 2) agree with; None when too few do."""
    import poselib

    if len(first) < 12:
        return None
    camera = lens.camera()
    found, info = poselib.estimate_relative_pose(
        first, second, camera, camera, {"max_epipolar_error": lens.tolerance, "max_iterations": 2000}, {}
    )
    agree = np.asarray(info["inliers"], bool)
    if agree.sum() < 12:
        return None
    rotation = found.R.T
    direction = -rotation @ found.t
    direction = direction / max(float(np.linalg.norm(direction)), 1e-12)
    depth = inverse_depths(first, second, rotation, direction, lens)
    return Step(rotation, direction, float(agree.mean()), agree, depth)


def inverse_depths(first: Floats, second: Floats, rotation: Floats, centre: Floats, lens: Lens) -> Floats:
    """(K,) inverse depths along the first camera's axis that fit the second view best; clipped at 0 from below.

    With x the bearing (z = 1) in the first camera and d the unit bearing in the second, turned into the first one's
    axes, the point x - r centre must be parallel to d: r = (d x c).(d x x) / |d x c|^2.
    """
    ray = rays(first - np.asarray(lens.centre), lens.focal)
    target = bearings(second, lens.focal, lens.centre) @ rotation.T
    across = np.cross(target, centre)
    r = (across * np.cross(target, ray)).sum(axis=1) / np.maximum((across**2).sum(axis=1), 1e-12)
    return np.asarray(np.clip(r, 0.0, 30.0))
