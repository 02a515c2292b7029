"""The geometry checks on two small gauge blocks, and their arithmetic."""

import numpy as np
import pytest

from worldgauge.blocks.block import Block, Truth
from worldgauge.calibration.instrument_checks.geometry import (
    depth_errors,
    match_errors,
    pose_errors,
    recover,
)
from worldgauge.core.errors import Unscored
from worldgauge.functional.lens import lens_of
from worldgauge.instruments.pocket.poses import Trajectory


@pytest.fixture(scope="module")
def pan() -> Truth:
    return Block(seed=3, family="street", path="away_left", process="crossing", frames=33).render()


@pytest.fixture(scope="module")
def move() -> Truth:
    return Block(seed=3, family="yard", path="move_left", process="rolling", frames=17).render()


def true_path(truth: Truth) -> Trajectory:
    """What a perfect instrument would answer."""
    count = len(truth.frames)
    lens = lens_of(truth.camera, (320, 180))
    assert lens is not None
    poses = truth.camera.poses.copy()
    poses[:, :3, 3] *= 0.2
    return Trajectory(
        poses, lens, "given", np.ones(count), np.zeros(count), np.zeros(count), np.ones(count), True,
        np.ones(count, bool),
    )  # fmt: skip


def test_a_turning_camera(pan: Truth) -> None:
    found = recover(pan)
    row = pose_errors(pan, found)
    assert row["rotation"] < 1.0
    assert row["false_step"] == 0
    assert np.isnan(row["direction"])
    with pytest.raises(Unscored, match="no parallax"):
        depth_errors(pan, found)


def test_a_moving_camera(move: Truth) -> None:
    found = recover(move)
    row = pose_errors(move, found)
    assert row["rotation"] < 1.5
    assert row["direction"] < 10
    assert row["path"] < 0.1
    assert depth_errors(move, found)["rank_correlation"] > 0.8


def test_a_perfect_path_has_no_error(move: Truth) -> None:
    row = pose_errors(move, true_path(move))
    assert row["rotation"] == pytest.approx(0, abs=1e-6)
    assert row["direction"] == pytest.approx(0, abs=1e-4)
    assert row["path"] == pytest.approx(0, abs=1e-9)
    assert row["focal"] == 0


def test_matches(move: Truth) -> None:
    row = match_errors(move, gaps=(1, 8))
    assert row["matches_1"] > 50
    assert row["median_error_1"] < 0.5
    assert row["within_2px_8"] > 0.7
