import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from worldgauge.functional.pose import geodesic_deg
from worldgauge.functional.turn import bearings, fit_rotation, vote_rotation


def directions(count: int, seed: int = 0) -> np.ndarray:
    raw = np.random.default_rng(seed).normal(loc=(0, 0, 3), size=(count, 3))
    return raw / np.linalg.norm(raw, axis=1, keepdims=True)


TURN = Rotation.from_rotvec([0.2, -0.4, 0.1]).as_matrix()


def test_bearings_point_through_their_pixels() -> None:
    rays = bearings(np.array([[100.0, 50.0], [300.0, 50.0]]), 200.0, (100.0, 50.0))
    np.testing.assert_allclose(rays, [[0, 0, 1], [np.sqrt(0.5), 0, np.sqrt(0.5)]])


@pytest.mark.parametrize("count", [2, 3, 50])
def test_fit_recovers_a_known_rotation(count: int) -> None:
    source = directions(count)
    assert geodesic_deg(fit_rotation(source, source @ TURN.T), TURN) < 1e-6


def test_fit_agrees_with_scipy_under_weights() -> None:
    source, random = directions(30), np.random.default_rng(1)
    target = source @ TURN.T + 0.05 * random.normal(size=source.shape)
    weight = random.uniform(0.1, 1, 30)
    expected, _ = Rotation.align_vectors(target, source, weights=weight)
    assert geodesic_deg(fit_rotation(source, target, weight), expected.as_matrix()) < 1e-6


def test_vote_outlasts_forty_percent_of_wrong_matches() -> None:
    source = directions(100)
    target = source @ TURN.T
    target[:40] = directions(40, seed=9)
    found, agree = vote_rotation(source, target, within=0.01)
    assert geodesic_deg(found, TURN) < 0.1
    assert agree[40:].all()
    assert agree[:40].sum() <= 2


def test_vote_of_too_few_matches_is_identity() -> None:
    found, agree = vote_rotation(directions(1), directions(1), within=0.01)
    np.testing.assert_array_equal(found, np.eye(3))
    assert not agree.any()
