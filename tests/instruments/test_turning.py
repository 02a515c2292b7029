"""Cameras that only turn out of matches in closed form: rotations, lens, and when something else moved."""

from __future__ import annotations

import numpy as np
import pytest

from instruments.billboards import LENS, pan, slide
from worldgauge.functional import pose
from worldgauge.functional.lens import Lens
from worldgauge.instruments.turning import Match, turning_path

ANGLES = np.array([0, 4, 9, 15, 22, 30, 22, 12.0])
COUNT = 300


def matches_of(poses: np.ndarray, depth: tuple[float, float], gap: int = 4, noise: float = 0.2) -> list[Match]:
    """What frames up to `gap` apart see of points at these depths before the first camera, px with noise."""
    random = np.random.default_rng(0)
    spread = random.uniform((-2.5, -0.4), (2.5, 0.4), (2000, 2))
    far = random.uniform(*depth, (2000, 1))
    points = np.concatenate((spread * far, far), 1)
    seen = []
    for camera in poses:
        local = (points - camera[:3, 3]) @ camera[:3, :3]
        pixel = LENS.focal * local[:, :2] / local[:, 2:] + np.asarray(LENS.centre)
        inside = (local[:, 2] > 0.1) & (pixel > 0).all(1) & (pixel < LENS.size).all(1)
        seen.append((pixel + noise * random.normal(size=pixel.shape), inside))
    return [
        Match(i, j, seen[i][0][both][:COUNT], seen[j][0][both][:COUNT])
        for i in range(len(poses))
        for j in range(i + 1, min(i + gap + 1, len(poses)))
        for both in [seen[i][1] & seen[j][1]]
    ]


def test_rotations_are_found_to_the_noise() -> None:
    found = turning_path(matches_of(pan(ANGLES), (3, 8)), len(ANGLES), LENS, given=True)
    assert found is not None and not found.moves and found.lens == LENS
    assert pose.rotation_errors(found.poses, pan(ANGLES)).max() < 0.05
    assert not found.poses[:, :3, 3].any() and np.array_equal(found.poses[0], np.eye(4))
    assert found.residual.max() < 0.6 and found.distance.max() < 0.6


def test_the_lens_is_found_where_the_turn_tells_it_and_assumed_where_it_does_not() -> None:
    usual = Lens(1.2 * LENS.focal, LENS.centre, LENS.size)
    found = turning_path(matches_of(pan(ANGLES), (3, 8)), len(ANGLES), usual, given=False)
    assert found is not None and found.lens_source == "estimated"
    assert found.lens.focal == pytest.approx(LENS.focal, rel=0.01)
    assert pose.rotation_errors(found.poses, pan(ANGLES)).max() < 0.2
    still = turning_path(matches_of(pan(np.zeros(5)), (3, 8)), 5, usual, given=False)
    assert still is not None and still.lens_source == "assumed" and still.lens == usual


def test_strays_do_not_turn_the_camera() -> None:
    matches = matches_of(pan(ANGLES), (3, 8))
    for match in matches:
        match.there[:10] += 12
    found = turning_path(matches, len(ANGLES), LENS, given=True)
    assert found is not None and pose.rotation_errors(found.poses, pan(ANGLES)).max() < 0.05
    assert found.confidence.max() < 0.99, "and lessen the confidence"


@pytest.mark.parametrize("poses", [slide(8, 0.8), slide(8, 0.0, 1.0), slide(8, 0.5, 0.2, 10.0)])
def test_a_camera_that_moves_is_not_said_to_turn(poses: np.ndarray) -> None:
    assert turning_path(matches_of(poses, (2, 8)), 8, LENS, given=True) is None


def test_frames_that_nothing_joins_have_no_path() -> None:
    matches = [match for match in matches_of(pan(ANGLES), (3, 8)) if 5 not in (match.first, match.second)]
    assert turning_path(matches, len(ANGLES), LENS, given=True) is None
