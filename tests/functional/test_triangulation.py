import numpy as np
import pytest

from worldgauge.functional.triangulation import inverse_depth, pixels_per_inverse_depth


def test_inverse_depth_of_points_placed_by_hand() -> None:
    random = np.random.default_rng(0)
    points = random.uniform([-2, -2, 2], [2, 2, 9], size=(100, 3))
    centre = np.array([0.4, -0.1, 0.3])
    found = inverse_depth(points / points[:, 2:], points - centre, centre)
    np.testing.assert_allclose(found, 1 / points[:, 2], atol=1e-12)


def test_a_point_at_infinity_and_a_missing_baseline_give_zero() -> None:
    ray = np.array([[0.2, 0.1, 1.0]])
    assert inverse_depth(ray, ray, np.array([0.5, 0.0, 0.0])) == pytest.approx(0.0)
    assert inverse_depth(ray, 2 * ray - 0.5, np.zeros(3)) == pytest.approx(0.0)


def test_slope_agrees_with_a_small_step() -> None:
    ray, centre, focal, step = np.array([0.2, -0.3, 1.0]), np.array([0.1, 0.05, -0.2]), 250.0, 1e-6

    def seen(r: float) -> np.ndarray:
        point = ray - r * centre
        return point[:2] / point[2]

    measured = focal * np.linalg.norm(seen(step) - seen(0.0)) / step
    assert pixels_per_inverse_depth(seen(0.0), centre, focal) == pytest.approx(measured, rel=1e-4)
