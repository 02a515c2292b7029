"""Camera paths: golden keyframes, exact returns, key scripts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from worldgauge.blocks.paths import LAYOUTS, PATHS, camera_path, find_path, intrinsics, key_script, layout_poses
from worldgauge.blocks.scene import FOVY, Stage
from worldgauge.core.errors import WorldGaugeError

STAGE = Stage("a place", 1.0)
AIM = np.array([0.0, 0.0, 0.5])


def _path(name: str, frames: int = 81):
    return camera_path(find_path(name), STAGE, AIM, frames, (320, 180))


def test_there_are_at_least_twelve_paths() -> None:
    assert len(PATHS) >= 12 and set(LAYOUTS) <= set(PATHS) and "fixed" in PATHS


@pytest.mark.parametrize("name", PATHS)
def test_poses_are_rigid_and_upright_at_the_start(name: str) -> None:
    poses = _path(name).poses
    turn = poses[:, :3, :3]
    np.testing.assert_allclose(turn @ turn.transpose(0, 2, 1), np.broadcast_to(np.eye(3), turn.shape), atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(turn), 1, atol=1e-12)
    assert poses[0, 2, 0] == pytest.approx(0, abs=1e-12) and poses[0, 2, 1] < 0  # level; image y points down


def test_layout_keyframes() -> None:
    """Centres and headings of the released trajectories at unit speed, in OpenCV axes (x right, y down, z forward)."""
    centre = {
        "push_in": (0, 0, 1),
        "pull_out": (0, 0, -1),
        "move_left": (-0.5, 0, 0),
        "move_right": (0.5, 0, 0),
        "orbit_left": (-0.5, 0, 0.1339746),
        "orbit_right": (0.5, 0, 0.1339746),
        "pan_left": (0, 0, 0),
        "pan_right": (0, 0, 0),
    }
    heading = {"orbit_left": 0.5, "orbit_right": -0.5, "pan_left": -0.5, "pan_right": 0.5}
    for name in LAYOUTS:
        last = layout_poses((name,), 50, 1.0)[-1]
        np.testing.assert_allclose(last[:3, 3], centre[name], atol=1e-7)
        assert last[0, 2] == pytest.approx(heading.get(name, 0.0), abs=1e-9)


def test_chain_of_three() -> None:
    """pan_left, move_left, pull_out: released centres are (left, up, forward), ours (right, down, forward)."""
    poses = layout_poses(("pan_left", "move_left", "pull_out"), 148, 1.0)
    expected = {49: (0, 0, 0), 98: (-0.4330127, 0, -0.25), 147: (0.0669873, 0, -1.1160254)}
    for frame, centre in expected.items():
        np.testing.assert_allclose(poses[frame, :3, 3], centre, atol=1e-6)


@pytest.mark.parametrize(
    "name", ["away_left", "away_right", "tilt", "head_turn", "walk_past", "vertical", "exit_wait_reenter"]
)
def test_paths_that_return_end_where_they_began(name: str) -> None:
    poses = _path(name).poses
    np.testing.assert_allclose(poses[-1], poses[0], atol=1e-12)


def test_exit_wait_reenter_is_its_own_reverse() -> None:
    poses = _path("exit_wait_reenter", 101).poses
    np.testing.assert_allclose(poses, poses[::-1], atol=1e-9)
    keys = [k for k, _ in _runs(key_script(_path("exit_wait_reenter", 101)))]
    assert keys == ["", "L", "", "J", ""]


def test_u_turn_walks_and_then_turns_right() -> None:
    keys = [k for k, _ in _runs(key_script(_path("u_turn")))]
    assert keys[1] == "W" and "L" in keys[-2] and "J" not in "".join(keys)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("push_in", "W"),
        ("pull_out", "S"),
        ("move_left", "A"),
        ("move_right", "D"),
        ("pan_left", "J"),
        ("pan_right", "L"),
        ("orbit_left", "A+L"),
        ("orbit_right", "D+J"),
    ],
)
def test_layouts_as_keys(name: str, key: str) -> None:
    script = key_script(_path(name))
    assert len(script) == 81 and max(set(script), key=script.count) == key


def test_fixed_presses_nothing() -> None:
    assert set(key_script(_path("fixed"))) == {""}


def test_tilt_looks_up_then_down() -> None:
    assert [k for k, _ in _runs(key_script(_path("tilt"))) if k] == ["I", "K"]


def test_intrinsics_match_the_field_of_view() -> None:
    k = intrinsics((320, 180))
    assert 2 * np.degrees(np.arctan(90 / k[1, 1])) == pytest.approx(FOVY)
    np.testing.assert_array_equal(k[:2, 2], (160, 90))


def test_first_camera_looks_at_the_target() -> None:
    camera = _path("away_left")
    local = camera.rotation[0].T @ (AIM - camera.translation[0])
    np.testing.assert_allclose(local[:2], 0, atol=1e-9)


def test_pan_turns_about_the_vertical() -> None:
    poses = _path("away_left").poses
    axis = Rotation.from_matrix(poses[40, :3, :3] @ poses[0, :3, :3].T).as_rotvec(degrees=True)
    np.testing.assert_allclose(axis, (0, 0, 78), atol=1e-6)


def test_any_layouts_can_be_chained() -> None:
    assert find_path("pull_out+pan_right+push_in").layouts == ("pull_out", "pan_right", "push_in")


def test_unknown_path_names_its_neighbours() -> None:
    with pytest.raises(WorldGaugeError, match=r"u_turn"):
        find_path("uturn")


def _runs(actions: tuple[str, ...]) -> list[tuple[str, int]]:
    runs: list[tuple[str, int]] = []
    for action in actions:
        if runs and runs[-1][0] == action:
            runs[-1] = (action, runs[-1][1] + 1)
        else:
            runs.append((action, 1))
    return runs
