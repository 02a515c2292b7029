import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from worldgauge.functional import pose


def make_path(count: int = 12, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, :3, :3] = Rotation.from_rotvec(random.normal(size=(count, 3))).as_matrix()
    poses[:, :3, 3] = random.normal(size=(count, 3))
    return poses


def similar(poses: np.ndarray, scale: float, seed: int = 5) -> np.ndarray:
    random = np.random.default_rng(seed)
    rotation = Rotation.from_rotvec(random.normal(size=3)).as_matrix()
    return pose.Similarity(scale, rotation, random.normal(size=3)).poses(poses)


@pytest.mark.parametrize("angle", [0.0, 1e-7, 0.5, 90.0, 179.999999, 180.0])
def test_geodesic_returns_the_angle_it_was_given(angle: float) -> None:
    axis = np.array([2.0, -1.0, 0.5]) / np.linalg.norm([2.0, -1.0, 0.5])
    turned = Rotation.from_rotvec(np.radians(angle) * axis).as_matrix()
    start = make_path(1)[0, :3, :3]
    assert pose.geodesic_deg(start, turned @ start) == pytest.approx(angle, abs=2e-6)


def test_geodesic_agrees_with_scipy() -> None:
    a, b = make_path(50, 1)[:, :3, :3], make_path(50, 2)[:, :3, :3]
    expected = np.degrees((Rotation.from_matrix(a).inv() * Rotation.from_matrix(b)).magnitude())
    np.testing.assert_allclose(pose.geodesic_deg(a, b), expected, atol=1e-9)


def test_invert_and_relative() -> None:
    poses = make_path()
    np.testing.assert_allclose(pose.invert(poses), np.linalg.inv(poses), atol=1e-12)
    np.testing.assert_allclose(poses[0] @ pose.relative(poses[0], poses), poses, atol=1e-12)


def test_align_first_frame_is_blind_to_the_world_frame_only() -> None:
    poses = make_path()
    moved = similar(poses, 1.0)
    np.testing.assert_allclose(pose.align_first_frame(moved, poses), poses, atol=1e-12)
    np.testing.assert_allclose(pose.align_first_frame(moved)[0], np.eye(4), atol=1e-12)


def test_umeyama_recovers_a_known_similarity() -> None:
    poses = make_path()
    moved = similar(poses, 2.5)
    np.testing.assert_allclose(pose.align_sim3(moved, poses), poses, atol=1e-12)
    assert pose.umeyama(moved[:, :3, 3], poses[:, :3, 3]).scale == pytest.approx(1 / 2.5)
    assert pose.absolute_trajectory_error(moved, poses) == pytest.approx(0.0, abs=1e-12)
    assert pose.absolute_trajectory_error(moved, poses, with_scale=False) > 0.1


def test_umeyama_never_mirrors() -> None:
    points = np.random.default_rng(3).normal(size=(20, 3))
    fit = pose.umeyama(points, points * [1.0, 1.0, -1.0])
    assert np.linalg.det(fit.rotation) == pytest.approx(1.0)


def test_umeyama_of_coincident_points_is_finite() -> None:
    fit = pose.umeyama(np.ones((5, 3)), np.zeros((5, 3)))
    assert fit.scale == 1.0
    np.testing.assert_allclose(fit.points(np.ones((1, 3))), 0.0, atol=1e-12)


def test_se3_alignment_of_a_square_that_is_twice_as_large() -> None:
    # Corners at distance sqrt(2)/2 and sqrt(2) of the centre: the rigid fit leaves the difference, sqrt(2)/2.
    square = np.tile(np.eye(4), (4, 1, 1))
    square[:, :2, 3] = [[0, 0], [1, 0], [1, 1], [0, 1]]
    double = square.copy()
    double[:, :3, 3] *= 2
    assert pose.absolute_trajectory_error(double, square, with_scale=False) == pytest.approx(np.sqrt(0.5))


def test_align_scale_spends_no_rotation() -> None:
    straight = np.tile(np.eye(4), (5, 1, 1))
    straight[:, 2, 3] = np.arange(5)
    sideways = np.tile(np.eye(4), (5, 1, 1))
    sideways[:, 0, 3] = np.arange(5)
    triple = straight.copy()
    triple[:, :3, 3] *= 3
    np.testing.assert_allclose(pose.align_scale(triple, straight), straight, atol=1e-12)
    # At right angles the best scale is 0: the estimate explains nothing of the path.
    np.testing.assert_allclose(pose.align_scale(sideways, straight)[:, :3, 3], 0.0, atol=1e-12)


def test_direction_errors() -> None:
    straight = np.tile(np.eye(4), (5, 1, 1))
    straight[:, 2, 3] = np.arange(5)
    veering = straight.copy()
    veering[:, 0, 3] = 7.0 * np.arange(5)
    veering[:, 2, 3] *= 7.0
    errors = pose.direction_errors(veering, straight)
    assert np.isnan(errors[0])
    np.testing.assert_allclose(errors[1:], 45.0)
    still = np.tile(np.eye(4), (5, 1, 1))
    np.testing.assert_allclose(pose.direction_errors(still, straight)[1:], 90.0)


def test_errors_and_length_in_closed_form() -> None:
    turn = np.tile(np.eye(4), (3, 1, 1))
    turn[:, :3, :3] = Rotation.from_rotvec(np.radians([[0, 0, 0], [0, 10, 0], [0, 20, 0]])).as_matrix()
    turn[:, 0, 3] = [0, 3, 3]
    still = np.tile(np.eye(4), (3, 1, 1))
    np.testing.assert_allclose(pose.rotation_errors(turn, still), [0, 10, 20], atol=1e-9)
    np.testing.assert_allclose(pose.translation_errors(turn, still), [0, 3, 3])
    assert pose.path_length([[0, 0, 0], [3, 4, 0], [3, 4, 2]]) == pytest.approx(7.0)
    assert pose.root_mean_square([1.0, 7.0]) == pytest.approx(5.0)


def test_a_direction_is_asked_only_where_the_reference_has_moved_enough() -> None:
    truth, found = (np.tile(np.eye(4), (5, 1, 1)) for _ in range(2))
    truth[:, 0, 3] = [0.0, 0.04, 0.05, 0.5, 1.0]
    found[:, 2, 3] = [0.0, 1.0, 1.0, 0.0, -1.0]
    found[3, 0, 3] = -2.0
    errors = pose.direction_errors(found, truth)
    # 0.04 is less than a twentieth of the farthest displacement, 0.05 is not.
    assert np.isnan(errors).tolist() == [True, True, False, False, False]
    np.testing.assert_allclose(errors[2:], [90, 180, 90], atol=1e-6)
    assert np.isnan(pose.direction_errors(found, truth, least=0.6)).sum() == 4
    still = np.tile(np.eye(4), (3, 1, 1))
    assert np.isnan(pose.direction_errors(found[:3], still)).all()
    np.testing.assert_allclose(pose.direction_errors(still, truth[[0, 3, 4]])[1:], 90)
