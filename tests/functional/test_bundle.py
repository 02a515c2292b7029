import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from worldgauge.functional import bundle, normal_equations, pose, projection
from worldgauge.functional.projection import Freedom, Observations, State


def scene(
    moving: bool, *, noise: float = 0.0, outliers: float = 0.0, cameras: int = 12, points: int = 150
) -> tuple[Observations, State]:
    """A camera that turns 20 degrees (and walks one unit) before points 2 to 8 units away, and the exact state."""
    random = np.random.default_rng(0)
    focal = 300.0
    angles = np.radians(np.linspace(0, 20, cameras))[:, None] * [[0.1, 1.0, 0.0]]
    rotation = Rotation.from_rotvec(angles).as_matrix()
    centre = np.linspace(0, 1, cameras)[:, None] * [[0.7, 0.1, 0.7]] * moving
    pixel = random.uniform([-120, -80], [120, 80], size=(points, 2))
    inverse_depth = 1 / random.uniform(2, 8, points) if moving else np.zeros(points)
    anchor = np.zeros(points, np.int64)
    point = np.repeat(np.arange(points), cameras - 1)
    camera = np.tile(np.arange(1, cameras), points)
    truth = State(rotation, centre, inverse_depth, focal)
    blank = Observations(anchor, pixel, point, camera, np.zeros((len(point), 2)))
    seen = projection.residuals(blank, truth) + noise * random.normal(size=(len(point), 2))
    wrong = random.random(len(point)) < outliers
    seen[wrong] += random.uniform(-40, 40, size=(wrong.sum(), 2))
    return Observations(anchor, pixel, point, camera, seen), truth


def start(truth: State, focal: float | None = None) -> State:
    """Cameras all at the origin with rotations wrong by up to 2 degrees, every point at depth 1."""
    count = len(truth.rotation)
    wrong = Rotation.from_rotvec(np.radians(np.linspace(0, 2, count))[:, None] * [[0, 0, 1.0]]).as_matrix()
    return State(wrong @ truth.rotation, np.zeros((count, 3)), np.ones(len(truth.inverse_depth)), focal or truth.focal)


def all_but_first(state: State) -> np.ndarray:
    return np.arange(len(state.rotation)) > 0


def as_poses(state: State) -> np.ndarray:
    poses = np.tile(np.eye(4), (len(state.rotation), 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = state.rotation, state.centre
    return poses


def test_moving_camera_is_recovered_from_a_cold_start() -> None:
    obs, truth = scene(moving=True)
    found = bundle.adjust(
        obs, start(truth), Freedom(all_but_first(truth)), scale=1.0, iterations=80, prior=1e-3, tolerance=0
    ).state
    assert pose.rotation_errors(as_poses(found), as_poses(truth)).max() < 0.01
    assert pose.translation_errors(pose.align_scale(as_poses(found), as_poses(truth)), as_poses(truth)).max() < 1e-3


def test_wild_observations_are_outvoted() -> None:
    obs, truth = scene(moving=True, noise=0.3, outliers=0.2)
    found = bundle.adjust(
        obs, start(truth), Freedom(all_but_first(truth)), scale=1.0, iterations=80, prior=0.01, tolerance=0
    ).state
    assert pose.rotation_errors(as_poses(found), as_poses(truth)).max() < 0.3
    assert pose.translation_errors(pose.align_scale(as_poses(found), as_poses(truth)), as_poses(truth)).max() < 0.05


def test_turning_camera_stays_in_place_even_when_it_may_move() -> None:
    obs, truth = scene(moving=False, noise=0.2)
    found = bundle.adjust(obs, start(truth), Freedom(all_but_first(truth)), scale=1.0, iterations=40).state
    assert pose.rotation_errors(as_poses(found), as_poses(truth)).max() < 0.2
    assert np.abs(found.centre).max() < 0.005


@pytest.mark.parametrize("guess", [200.0, 450.0])
def test_focal_length_of_a_turning_camera(guess: float) -> None:
    obs, truth = scene(moving=False, noise=0.1)
    freedom = Freedom(all_but_first(truth), translation=False, focal=True)
    found = bundle.adjust(obs, start(truth, guess), freedom, scale=1.0, iterations=60, tolerance=0)
    assert found.state.focal == pytest.approx(truth.focal, rel=0.02)
    assert 0 < found.focal_sigma < 0.05
    assert np.all(found.state.centre == 0)


def test_gradient_agrees_with_finite_differences() -> None:
    obs, truth = scene(moving=True, noise=2.0, cameras=4, points=20)
    state = start(truth, 280.0)
    freedom = Freedom(np.ones(4, bool), focal=True)
    focal_prior = (260.0, 0.2)
    system = normal_equations.linearise(obs, state, freedom, 1.5, 0.3, focal_prior)
    step = 1e-6

    def cost(column: int, by: float) -> float:
        move = np.zeros(6 * 4 + 1)
        move[column] = by
        camera = move[:-1].reshape(-1, 6)
        turned = normal_equations.exponential(camera[:, :3]) @ state.rotation
        moved = State(
            turned, state.centre + camera[:, 3:], state.inverse_depth,
            state.focal * float(np.exp(move[-1])),
        )  # fmt: skip
        return bundle.total_cost(obs, moved, freedom, 1.5, 0.3, focal_prior)

    numeric = [(cost(c, step) - cost(c, -step)) / (4 * step) for c in range(25)]
    np.testing.assert_allclose(system.gradient, numeric, rtol=1e-4, atol=1e-4 * np.abs(numeric).max())


def test_only_renumbers_points() -> None:
    obs, _ = scene(moving=True, cameras=3, points=4)
    kept = obs.only(obs.point >= 2)
    assert len(kept.anchor) == 2
    assert kept.point.min() == 0
    np.testing.assert_array_equal(kept.pixel, obs.pixel[2:])


def test_tied_cameras_stay_together() -> None:
    obs, truth = scene(moving=True, noise=0.3)
    ties = np.array([[5, 6], [6, 7]])
    freedom = Freedom(all_but_first(truth), ties=ties)
    start_state = State(
        truth.rotation, np.zeros_like(truth.centre), np.full(len(truth.inverse_depth), 0.3), truth.focal
    )
    found = bundle.adjust(obs, start_state, freedom, scale=1.0, iterations=40, prior=0.01).state
    apart = np.linalg.norm(np.diff(found.centre, axis=0), axis=1)
    assert apart[5:7].max() < 0.1 * np.median(apart)


def test_the_cost_is_the_sum_written_out() -> None:
    obs, truth = scene(moving=True, noise=2.0, cameras=4, points=6)
    scale, prior, focal_prior = 1.5, 0.3, (260.0, 0.2)
    lengths = np.linalg.norm(projection.residuals(obs, truth), axis=1)
    robust = sum(np.log(1 + (length / scale) ** 2) for length in lengths)
    depths = prior**2 * sum((r - 1) ** 2 for r in truth.inverse_depth)
    tied = sum(float(((truth.centre[i] - truth.centre[j]) ** 2).sum()) for i, j in ((1, 2), (3, 0)))
    ties = (10 * truth.focal / scale) ** 2 * tied
    focal = (np.log(truth.focal / 260.0) / 0.2) ** 2

    def cost(**freedom: object) -> float:
        allowed = Freedom(np.ones(4, bool), **freedom)  # type: ignore[arg-type]
        return bundle.total_cost(obs, truth, allowed, scale, prior, focal_prior)

    pairs = np.array([[1, 2], [3, 0]])
    assert cost(translation=False, ties=pairs) == pytest.approx(robust)
    assert cost() == pytest.approx(robust + depths)
    assert cost(ties=pairs, focal=True) == pytest.approx(robust + depths + ties + focal)
    without = bundle.total_cost(obs, truth, Freedom(np.ones(4, bool), focal=True), scale, prior, None)
    assert without == pytest.approx(robust + depths)


def test_adjusting_never_makes_it_worse_and_says_what_it_costs() -> None:
    obs, truth = scene(moving=True, noise=1.0, cameras=5, points=30)
    begin, freedom = start(truth), Freedom(all_but_first(truth))
    costs = [bundle.total_cost(obs, begin, freedom, 1.0, 0.3, None)]
    for iterations in range(4):
        found = bundle.adjust(obs, begin, freedom, scale=1.0, iterations=iterations, tolerance=0)
        assert found.cost == pytest.approx(bundle.total_cost(obs, found.state, freedom, 1.0, 0.3, None))
        assert found.focal_sigma == np.inf
        costs.append(found.cost)
    assert costs[0] == costs[1]
    assert costs[1] > costs[2] > costs[3] > costs[4]


def test_a_camera_that_only_turns_puts_every_point_at_infinity() -> None:
    obs, truth = scene(moving=False, cameras=3, points=10)
    freedom = Freedom(all_but_first(truth), translation=False)
    assert not bundle.adjust(obs, start(truth), freedom, scale=1.0, iterations=1).state.inverse_depth.any()


def test_a_slow_creep_strays_by_one_step_a_frame() -> None:
    obs, truth = scene(moving=True)
    still = projection.strays(obs, truth)
    assert sorted(set(still[0].tolist())) == list(range(1, 12))
    assert still[1].max() < 1e-9
    creeping = Observations(obs.anchor, obs.pixel, obs.point, obs.camera, obs.seen + 0.1 * obs.camera[:, None] * [1, 0])
    assert projection.distances(creeping, truth).max() == pytest.approx(1.1)
    assert projection.strays(creeping, truth)[1] == pytest.approx(0.1)
    # A jump is seen in full, in the frame where it happens.
    jumped = Observations(
        obs.anchor, obs.pixel, obs.point, obs.camera, obs.seen + 5.0 * (obs.camera >= 6)[:, None] * [0, 1]
    )
    frames, lengths = projection.strays(jumped, truth)
    assert lengths[frames == 6] == pytest.approx(5.0)
    assert lengths[frames != 6].max() < 1e-9
