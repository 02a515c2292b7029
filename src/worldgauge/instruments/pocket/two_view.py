"""What two frames say about the motion between them: a turn alone, or a turn and a step. Decided by evidence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.lens import Lens
from worldgauge.functional.normal_equations import MAX_INVERSE_DEPTH
from worldgauge.functional.projection import rays
from worldgauge.functional.triangulation import inverse_depth
from worldgauge.functional.turn import bearings, vote_rotation

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Turn:
    """The best pure rotation between two frames."""

    rotation: Floats
    """(3, 3) second camera in the first."""
    residual: float
    """Median distance of the matches from it, px: the parallax it leaves unexplained."""
    share: float
    """Share of the matches within three tolerances of it."""
    close: float
    """Share of the matches within half a tolerance of it."""
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
        return Turn(rotation, 0.0, 0.0, 0.0, agree)
    error = lens.focal * np.linalg.norm(behind @ rotation.T - ahead, axis=1)
    close = float((error < 0.5 * lens.tolerance).mean())
    return Turn(rotation, float(np.median(error)), float(agree.mean()), close, agree)


def fit_step(first: Floats, second: Floats, lens: Lens) -> Step | None:
    """The essential geometry most matches (K, 2) agree with; None when too few do."""
    import poselib

    if len(first) < 12:
        return None
    camera = poselib_camera(lens)
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
    """(K,) of matches in the first camera, 0 where the lines of sight part ahead."""
    ray = rays(first - np.asarray(lens.centre), lens.focal)
    target = bearings(second, lens.focal, lens.centre) @ rotation.T
    return np.clip(inverse_depth(ray, target, centre), 0.0, MAX_INVERSE_DEPTH)


def poselib_camera(lens: Lens) -> dict[str, object]:
    """The lens in poselib's words."""
    return {
        "model": "SIMPLE_PINHOLE", "width": lens.size[0], "height": lens.size[1], "params": [lens.focal, *lens.centre]
    }  # fmt: skip
