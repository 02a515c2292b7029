"""WorldScore's camera paths against the golden values of its specification."""

import numpy as np
import pytest

from worldgauge.benchmarks.worldscore.formulas.camera_error import (
    printed_camera_error,
    released_camera_error,
    sum_of_distances_scale,
)
from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import (
    LAYOUTS,
    anchor_frames,
    frames_per_layout,
    interpolate,
    keyframes,
    layout_path,
    saved_cameras,
    total_frames,
)
from worldgauge.core.errors import WorldGaugeError


def saved(layouts, frames=50, speed=1.0):
    return saved_cameras(interpolate(keyframes(layouts, speed), frames))


def test_orbit_left_ends_where_it_should():
    expected = [(-0.866, 0, 0.5, 0.5), (0, 1, 0, 0), (-0.5, 0, -0.866, 0.134)]
    assert np.abs(saved(["orbit_left"])[-1][:3] - expected).max() < 1e-3


def test_pan_left_ends_where_it_should():
    expected = [(-0.866, 0, -0.5, 0), (0, 1, 0, 0), (0.5, 0, -0.866, 0)]
    assert np.abs(saved(["pan_left"])[-1][:3] - expected).max() < 1e-3


def test_chain():
    path = saved(["pan_left", "move_left", "pull_out"])
    assert len(path) == 148
    centres = path[[49, 98, 147], :3, 3]
    assert np.abs(centres - [(0, 0, 0), (0.433, 0, -0.25), (-0.067, 0, -1.116)]).max() < 1e-3


@pytest.mark.parametrize(("scenes", "total", "anchors"), [(1, 49, [0, 48]), (3, 145, [0, 48, 96, 144])])
def test_counts(scenes, total, anchors):
    assert total_frames(scenes, 49) == total
    assert anchor_frames(scenes, 49) == anchors
    assert frames_per_layout(scenes, total) == 49


def test_counts_that_do_not_fit():
    assert frames_per_layout(3, 147) is None
    assert frames_per_layout(1, 1) is None


@pytest.mark.parametrize("layout", LAYOUTS)
def test_our_path_starts_at_the_identity_and_is_rigid(layout):
    path = layout_path([layout, layout], 9, speed=0.3)
    assert np.abs(path.poses[0] - np.eye(4)).max() < 1e-12
    turned = path.rotation @ path.rotation.transpose(0, 2, 1)
    assert np.abs(turned - np.eye(3)).max() < 1e-12
    assert np.abs(np.linalg.det(path.rotation) - 1).max() < 1e-12


def test_directions_in_our_axes():
    """x right, y down, z forward."""
    assert layout_path(["push_in"], 2).translation[-1] == pytest.approx([0, 0, 1])
    assert layout_path(["move_left"], 2).translation[-1] == pytest.approx([-0.5, 0, 0])
    assert layout_path(["pan_left"], 2).rotation[-1][:, 2] == pytest.approx([-0.5, 0, np.sqrt(0.75)])
    assert layout_path(["orbit_left"], 2).translation[-1][0] == pytest.approx(-0.5)


@pytest.mark.parametrize(
    ("layout", "rotation", "translation"),
    [
        ("push_in", 0, 0.5),
        ("pull_out", 0, 0.5),
        ("move_left", 0, 0.25),
        ("orbit_right", 15, 0.2588),
        ("pan_left", 15, 0),
    ],
)
def test_error_of_a_motionless_camera(layout, rotation, translation):
    still = np.tile(np.eye(4), (50, 1, 1))
    error = released_camera_error(saved([layout]), still)
    assert error.rotation.mean() == pytest.approx(rotation, abs=1e-3)
    assert error.translation.mean() == pytest.approx(translation, abs=1e-4)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("scale", [0.1, 7.0])
def test_a_perfect_camera_of_any_scale_has_no_error(layout, scale):
    path = layout_path([layout], 17).poses.copy()
    path[:, :3, 3] *= scale
    printed = printed_camera_error(layout_path([layout], 17).poses, path)
    assert printed.rotation.max() < 1e-6
    assert printed.translation.max() < 1e-9
    # Single precision, as the released code has it: the arc cosine near 1 makes a hundredth of a degree of the rest.
    released = released_camera_error(saved([layout], 17), path)
    assert released.rotation.max() < 0.03
    assert released.translation.max() < 1e-6


def test_scale_of_the_sum_of_distances_beats_its_neighbours():
    random = np.random.default_rng(3)
    points, target = random.normal(size=(20, 3)), random.normal(size=(20, 3))

    def cost(scale):
        return np.linalg.norm(target - scale * points, axis=1).sum()

    best = sum_of_distances_scale(points, target)
    grid = np.linspace(-2, 2, 4001)
    assert cost(best) <= min(map(cost, grid)) + 1e-12


def test_scale_may_be_negative():
    points = np.array([[1.0, 0, 0], [2.0, 0, 0]])
    assert sum_of_distances_scale(points, -points) == pytest.approx(-1)


@pytest.mark.parametrize("layout", ["fixed", "pull_left", "zoom_in"])
def test_unknown_layouts_are_refused(layout):
    with pytest.raises(WorldGaugeError, match="unknown camera layout"):
        keyframes([layout])
