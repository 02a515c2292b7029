"""The normal equations against their definition: derivatives of the weighted residuals by finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from worldgauge.functional import normal_equations
from worldgauge.functional.normal_equations import MAX_INVERSE_DEPTH, System, exponential, linearise, skew, tie_weight
from worldgauge.functional.projection import Freedom, Observations, State, residuals

CAMERAS, POINTS, SCALE, PRIOR = 4, 9, 1.5, 0.3
FOCAL_PRIOR = (260.0, 0.2)
TIES = np.array([[1, 2], [3, 0]])


@pytest.fixture
def scene() -> tuple[Observations, State]:
    """Points with different anchors seen by all other cameras, off by pixels: nothing is zero by symmetry."""
    random = np.random.default_rng(4)
    anchor = np.arange(POINTS) % CAMERAS
    point, camera = np.divmod(np.arange(POINTS * CAMERAS), CAMERAS)
    others = camera != anchor[point]
    point, camera = point[others], camera[others]
    state = State(
        Rotation.from_rotvec(random.normal(0, 0.15, (CAMERAS, 3))).as_matrix(),
        random.normal(0, 0.2, (CAMERAS, 3)),
        random.uniform(0.2, 1.4, POINTS),
        280.0,
    )
    blank = Observations(anchor, random.uniform(-90, 90, (POINTS, 2)), point, camera, np.zeros((len(point), 2)))
    seen = residuals(blank, state) + random.normal(0, 2, (len(point), 2))
    return Observations(anchor, blank.pixel, point, camera, seen), state


def _moved(state: State, move: np.ndarray) -> State:
    """All unknowns moved at once: per camera rotation and centre, log focal, inverse depths."""
    camera = move[: 6 * CAMERAS].reshape(-1, 6)
    rotation = Rotation.from_rotvec(camera[:, :3]).as_matrix() @ state.rotation
    focal = state.focal * float(np.exp(move[6 * CAMERAS]))
    return State(rotation, state.centre + camera[:, 3:], state.inverse_depth + move[6 * CAMERAS + 1 :], focal)


def _rows(obs: Observations, state: State, root: np.ndarray, ties: np.ndarray | None, weight: float) -> np.ndarray:
    """Everything whose squares are summed, with the Cauchy weights as they are at the start."""
    rows = [(residuals(obs, state) / SCALE * root[:, None]).ravel(), PRIOR * (state.inverse_depth - 1.0)]
    for i, j in () if ties is None else ties.tolist():
        rows.append(weight * (state.centre[i] - state.centre[j]))
    rows.append(np.array([np.log(state.focal / FOCAL_PRIOR[0]) / FOCAL_PRIOR[1]]))
    return np.concatenate(rows)


def _dense(obs: Observations, state: State, ties: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Hessian and gradient of all unknowns, by central differences."""
    root = 1 / np.sqrt(1 + (residuals(obs, state) ** 2).sum(axis=1) / SCALE**2)
    weight = 10 * state.focal / SCALE
    size, step = 6 * CAMERAS + 1 + POINTS, 1e-6
    slopes = [
        (_rows(obs, _moved(state, move), root, ties, weight) - _rows(obs, _moved(state, -move), root, ties, weight))
        for move in step * np.eye(size)
    ]
    jacobian = np.stack(slopes, axis=1) / (2 * step)
    return jacobian.T @ jacobian, jacobian.T @ _rows(obs, state, root, ties, weight)


def _close(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize("ties", [None, TIES])
def test_every_block_is_the_product_of_the_slopes(scene: tuple[Observations, State], ties: np.ndarray | None) -> None:
    obs, state = scene
    freedom = Freedom(np.array([False, True, True, True]), focal=True, ties=ties)
    system = linearise(obs, state, freedom, SCALE, PRIOR, FOCAL_PRIOR)
    hessian, gradient = _dense(obs, state, ties)
    cameras = np.arange(6, 6 * CAMERAS + 1)
    depths = np.arange(6 * CAMERAS + 1, len(gradient))
    assert system.columns.tolist() == cameras.tolist()
    assert system.coupling is not None
    _close(system.hessian, hessian[np.ix_(cameras, cameras)])
    _close(system.gradient, gradient[cameras])
    _close(system.coupling, hessian[np.ix_(depths, cameras)])
    _close(system.depth_hessian, np.diag(hessian)[depths])
    _close(system.depth_gradient, gradient[depths])


def test_what_may_not_move_has_no_column(scene: tuple[Observations, State]) -> None:
    obs, state = scene
    cameras = np.array([False, True, False, True])
    fixed_focal = linearise(obs, state, Freedom(cameras), SCALE, PRIOR, FOCAL_PRIOR)
    assert fixed_focal.columns.tolist() == [*range(6, 12), *range(18, 24)]
    turning = linearise(obs, state, Freedom(cameras, translation=False, focal=True, ties=TIES), SCALE, PRIOR, None)
    assert turning.columns.tolist() == [6, 7, 8, 18, 19, 20, 24]
    assert turning.coupling is None
    hessian, gradient = _dense(obs, state, None)
    hessian[24, 24] -= 1 / FOCAL_PRIOR[1] ** 2
    gradient[24] -= np.log(state.focal / FOCAL_PRIOR[0]) / FOCAL_PRIOR[1] ** 2
    _close(turning.hessian, hessian[np.ix_(turning.columns, turning.columns)])
    _close(turning.gradient, gradient[turning.columns])


@pytest.mark.parametrize("damping", [1e-3, 0.5])
def test_a_step_solves_the_whole_damped_system(scene: tuple[Observations, State], damping: float) -> None:
    obs, state = scene
    freedom = Freedom(np.array([False, True, True, True]), focal=True)
    stepped = linearise(obs, state, freedom, SCALE, PRIOR, FOCAL_PRIOR).step(state, damping)
    hessian, gradient = _dense(obs, state, None)
    free = np.arange(6, len(gradient))
    damped = hessian[np.ix_(free, free)] + damping * np.diag(np.diag(hessian)[free])
    move = np.zeros(len(gradient))
    move[free] = -np.linalg.solve(damped, gradient[free])
    expected = _moved(state, move)
    np.testing.assert_allclose(stepped.rotation, expected.rotation, atol=1e-5)
    np.testing.assert_allclose(stepped.centre, expected.centre, atol=1e-5)
    np.testing.assert_allclose(stepped.inverse_depth, np.clip(expected.inverse_depth, 0, 30), atol=1e-4)
    assert stepped.focal == pytest.approx(expected.focal, rel=1e-5)


def _one(hessian: float, gradient: float, depth_gradient: float = 0.0) -> tuple[System, State]:
    """A system of log focal alone and one point, and a state for it."""
    columns, one = np.array([6]), np.ones(1)
    system = System(hessian * np.ones((1, 1)), gradient * one, columns, np.zeros((1, 1)), one, depth_gradient * one)
    return system, State(np.eye(3)[None], np.zeros((1, 3)), one, 100.0)


@pytest.mark.parametrize(("gradient", "factor"), [(0.1, np.exp(-0.1)), (5.0, np.exp(-0.3)), (-5.0, np.exp(0.3))])
def test_the_focal_length_changes_by_a_third_at_most(gradient: float, factor: float) -> None:
    system, state = _one(1.0, gradient)
    assert system.step(state, 0.0).focal == pytest.approx(100.0 * factor)


@pytest.mark.parametrize(("slope", "depth"), [(0.25, 0.75), (9.0, 0.0), (-99.0, MAX_INVERSE_DEPTH)])
def test_inverse_depths_stay_between_infinity_and_near(slope: float, depth: float) -> None:
    system, state = _one(1.0, 0.0, slope)
    assert system.step(state, 0.0).inverse_depth[0] == pytest.approx(depth)


def test_a_system_without_solution_takes_no_step() -> None:
    _, state = _one(1.0, 1.0)
    saddle = System(np.array([[1.0, 2.0], [2.0, 1.0]]), np.ones(2), np.array([5, 6]), None, np.ones(1), np.zeros(1))
    assert saddle.step(state, 0.0) is state
    assert saddle.focal_sigma() == np.inf


def test_the_spread_of_the_focal_length_is_that_of_the_whole_inverse(scene: tuple[Observations, State]) -> None:
    obs, state = scene
    freedom = Freedom(np.array([False, True, True, True]), focal=True)
    hessian, _ = _dense(obs, state, None)
    covariance = np.linalg.inv(hessian[6:, 6:])
    found = linearise(obs, state, freedom, SCALE, PRIOR, FOCAL_PRIOR).focal_sigma()
    assert found == pytest.approx(np.sqrt(covariance[6 * CAMERAS - 6, 6 * CAMERAS - 6]), rel=1e-3)


@pytest.mark.parametrize("length", [0.0, 1e-9, 1e-6, 1e-3, 1.0, 3.0])
def test_exponential_and_skew_agree_with_scipy(length: float) -> None:
    vectors = length * np.random.default_rng(0).normal(size=(2, 5, 3))
    expected = Rotation.from_rotvec(vectors.reshape(-1, 3)).as_matrix().reshape(2, 5, 3, 3)
    np.testing.assert_allclose(exponential(vectors), expected, atol=1e-12)
    other = np.array([0.3, -0.2, 0.7])
    np.testing.assert_allclose(skew(vectors) @ other, np.cross(vectors, other), atol=1e-12)


def test_a_point_behind_a_camera_is_pushed_as_if_just_ahead(scene: tuple[Observations, State]) -> None:
    obs, state = scene
    behind = State(
        state.rotation, state.centre + np.array([0, 0, 9.0]) * np.arange(4)[:, None], state.inverse_depth, 280.0
    )
    assert np.isfinite(linearise(obs, behind, Freedom(np.ones(4, bool)), SCALE, PRIOR, None).gradient).all()
    assert tie_weight(behind, SCALE) == pytest.approx(10 * 280 / 1.5)
    assert normal_equations.MAX_INVERSE_DEPTH == 30
