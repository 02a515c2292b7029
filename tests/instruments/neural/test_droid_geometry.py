"""Projection, frame distance, edges and bundle adjustment of DROID-SLAM: the authors' numbers, and an autodiff twin."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from instruments.neural.droid_known import frames, given, known, matrices, network, off, poses_off, tensor
from worldgauge.instruments.neural.networks.correlation import Correlation, pixel_grid
from worldgauge.instruments.neural.networks.droid import motions
from worldgauge.instruments.neural.networks.droid.adjustment import (
    WEIGHT,
    Edges,
    Solver,
    adjust,
    adjust_motion,
    linearised,
    reduce,
    solve,
    steps_of,
)
from worldgauge.instruments.neural.networks.droid.edge_rules import Nearness, near, neighbours
from worldgauge.instruments.neural.networks.droid.filling import between
from worldgauge.instruments.neural.networks.droid.keyframes import Encoded, Keyframes
from worldgauge.instruments.neural.networks.droid.matching import _members
from worldgauge.instruments.neural.networks.droid.network import DIVISOR, RADIUS, normalised
from worldgauge.instruments.neural.networks.droid.projection import frame_distances, reprojected

EXACT = 1e-6
"""Share of the stored tolerance, which is for single precision."""
FRONT, ALL = Solver(), Solver(relative=1e-5, absolute=1e-2)


def stored(item: str) -> dict[str, Any]:
    return known()["geometry"][item]


def intrinsics() -> torch.Tensor:
    return torch.tensor(known()["intrinsics"], dtype=torch.float64)


def ends() -> tuple[np.ndarray, np.ndarray]:
    first, second = (np.array(part) for part in known()["edges"])
    return first, second


def edges() -> Edges:
    return Edges(*ends(), *(tensor(f"ba_{name}").permute(0, 3, 1, 2).contiguous() for name in ("target", "weight")))


def damping() -> torch.Tensor:
    return 0.2 * tensor("ba_eta") + 1e-7


def test_motions_are_those_of_the_authors_library() -> None:
    tangents, exact = tensor("lie_tangent"), stored("lie_se3")
    found = motions.exp(tangents)
    assert poses_off(found, exact["exp"]) < EXACT
    assert off(motions.log(found), exact["log"]) < EXACT, "near no turn and near a half turn too"
    turned = motions.adjoint(found).mT @ tensor("lie_vectors")[..., None]
    assert off(turned, exact["adjT"]) < EXACT
    assert torch.allclose(found @ motions.inverse(found), torch.eye(4, dtype=torch.float64), atol=1e-14)


@pytest.mark.parametrize("name", ["scene", "behind"])
def test_the_authors_projection_and_distances(name: str) -> None:
    poses, depths = matrices(given(f"{name}_poses")), tensor("scene_disps")
    first, second = (torch.from_numpy(part) for part in ends())
    places, valid = reprojected(poses, depths, intrinsics(), first, second)
    if name == "behind":
        assert off(places.permute(0, 2, 3, 1), stored("project_behind")["coords"]) < 1
        assert off(valid.double(), stored("project_behind")["valid"]) < EXACT
    pairs = torch.cartesian_prod(torch.arange(5), torch.arange(5)).T
    found = frame_distances(poses, depths, intrinsics(), *pairs, turning=0.3)
    assert off(found, stored(f"frame_distance_{name}")["both"]) < 1


@pytest.mark.parametrize(("name", "poses"), [("start", "ba_poses"), ("behind", "behind_poses")])
def test_the_authors_edge_errors(name: str, poses: str) -> None:
    exact, (first, second) = stored(f"reprojection_error_{name}"), ends()
    where = torch.from_numpy(first), torch.from_numpy(second)
    places, valid = reprojected(matrices(given(poses)), tensor("ba_disps"), intrinsics(), *where)
    missed = (places - edges().places).norm(dim=1)[valid]
    assert len(missed) == exact["count"]
    assert float(missed.mean()) == pytest.approx(exact["mean"], abs=1e-9)


@pytest.mark.parametrize(
    ("item", "free", "solver"),
    [
        ("ba_kernel_frontend", range(1, 5), FRONT),
        ("ba_kernel_backend", range(1, 5), ALL),
        ("ba_kernel_window", range(2, 5), FRONT),
    ],
)
def test_the_authors_adjustment(item: str, free: range, solver: Solver) -> None:
    exact = stored(item)
    for rule, ending in ((False, ""), (True, "_full_rule")):
        if f"poses_out{ending}" not in exact:
            continue
        poses, depths = matrices(given("ba_poses")), tensor("ba_disps")
        chosen = replace(solver, first_moves_depths=rule)
        adjust(poses, depths, damping(), intrinsics(), edges(), free, chosen)
        assert poses_off(poses, exact[f"poses_out{ending}"]) < 1
        assert off(depths.clamp(min=0.001), exact[f"disps_out{ending}"]) < 1
    if "iter0_S" in exact:
        system = linearised(matrices(given("ba_poses")), tensor("ba_disps"), intrinsics(), edges())
        assert off(reduce(system, edges(), damping(), free).matrix, exact["iter0_S"]) < 1


def test_the_authors_adjustment_of_motion_alone() -> None:
    poses = matrices(given("ba_poses"))
    adjust_motion(poses, tensor("ba_disps"), intrinsics(), edges(), range(1, 5), FRONT)
    assert poses_off(poses, stored("ba_kernel_motion_only")["poses_out"]) < 1


def python_step(poses: torch.Tensor, depths: torch.Tensor, lens: torch.Tensor, flow: Edges, eta: torch.Tensor) -> Any:
    """A step as the authors' training code does it: damped before the depths are eliminated, two poses fixed."""
    free = range(2, len(poses))
    system = linearised(poses, depths, lens, flow)
    reduced = reduce(system, flow, eta + 1e-7, free)
    own = torch.zeros(len(free), 6, dtype=torch.float64)
    for part, numbers in ((system.poses[:, :6, :6], flow.sources), (system.poses[:, 6:, 6:], flow.targets)):
        for block, number in zip(part, numbers, strict=True):
            if number in free:
                own[number - 2] += block.diagonal().double()
    solution = torch.linalg.solve(reduced.matrix + torch.diag(0.1 + 1e-4 * own.flatten()), reduced.pull)
    return reduced.frames, *steps_of(reduced, solution)


def test_the_authors_step_in_python() -> None:
    given_edges, exact = edges(), stored("ba_full_fixed2")
    state = matrices(given("ba_poses")), tensor("ba_disps"), intrinsics()
    _, step, deepening = python_step(*state, given_edges, tensor("ba_eta"))
    assert off(step, exact["dx"]) < EXACT
    assert off(deepening, exact["dz"]) < EXACT


@pytest.mark.nightly
def test_the_authors_whole_network_with_its_adjustment() -> None:
    exact, net = known()["forward"], network()
    images = normalised(torch.from_numpy(frames("forward_picture", 4, 2, 4)))
    features, (hidden, lead) = net.features(images), net.context(images)
    gates = net.update.gru.lead(lead)
    poses = motions.exp(tensor("forward_xi").double())
    depths, lens = tensor("forward_disp"), tensor("forward_intrinsics")
    first, second = np.array([0, 0, 1, 1, 2, 2, 3, 3]), np.array([1, 2, 0, 2, 1, 3, 2, 1])
    numbers = torch.from_numpy(first), torch.from_numpy(second)
    state, members, grid = hidden[first], _members(first), pixel_grid(features)
    correlation = Correlation(features[first], features[second], RADIUS, DIVISOR)
    places, _ = reprojected(poses, depths, lens, *numbers)
    flow = places
    for _ in range(3):
        motion = torch.cat((places - grid, flow - places), 1)
        state, delta, weight = net.update(state, gates[first], correlation.lookup(places), motion)
        flow = places + delta
        for _ in range(2):
            moved, step, deepening = python_step(
                poses, depths, lens, Edges(first, second, flow, weight), net.update.damping(state, members)
            )
            poses[2:] = motions.exp(step) @ poses[2:]
            depths[moved] += deepening.view(-1, *depths.shape[1:])
            depths = torch.where(depths > 10, 0.0, depths).clamp(min=0)
        places, valid = reprojected(poses, depths, lens, *numbers)
    assert poses_off(poses, exact["poses_2"]) < 1
    assert off(net.update.finer(depths, state, members), exact["disp_up_2"]) < 1
    assert off(((flow - places) * valid[:, None]).permute(0, 2, 3, 1), exact["residual_2"]) < 1


def test_frames_between_keyframes_begin_where_the_authors_do() -> None:
    times = known()["times"]
    found, before, after = between(matrices(given("scene_poses")), times["keys"], times["asked"])
    assert poses_off(found, stored("filler_interpolation")["poses_out"]) < EXACT
    assert (before[1], after[1], before[-1], after[-1]) == (0, 1, 4, 4)


@pytest.mark.parametrize("count", [8, 14, 20])
def test_the_authors_edges(count: int) -> None:
    exact, distances = known()["graph"][str(count)], given(f"graph{count}_distance").astype(np.float64)

    def both(found: list[tuple[int, int]]) -> list[list[list[int]]]:
        return [[list(part) for part in zip(*found, strict=True)]]

    if "initialisation" in exact:
        assert both(near(distances, neighbours(0, count), Nearness(16, 2, 2, 48))) == exact["initialisation"]
    first, oldest = count - 5, max(count - 25, 0)
    there = [(count - k, count - k - 2) for k in (2, 3, 4)]
    found = near(distances[first:, oldest:], there, Nearness(16, 2, 1, 48), first, oldest)
    assert both(found) == exact["frontend"]
    assert both(near(distances, [], Nearness(22, 2, 3, 16 * count))) == exact["backend"]
    assert both(near(distances, [], Nearness(22, 2, 3, 6 * count))) == exact["backend_few"]


class Twin:
    """The same problem, all derivatives by autodiff, all unknowns solved at once."""

    def __init__(self, seed: int = 0, frames: int = 4, height: int = 4, width: int = 5) -> None:
        random = torch.Generator().manual_seed(seed)

        def normal(*shape: int) -> torch.Tensor:
            return torch.randn(*shape, generator=random, dtype=torch.float64)

        self.lens = torch.tensor([6.0, 5.5, 2.1, 1.7], dtype=torch.float64)
        self.poses = torch.linalg.matrix_exp(self.hat(0.1 * normal(frames, 6)))
        self.depths = 0.6 + 0.1 * normal(frames, height, width).abs()
        first, second = (np.array(part) for part in ([0, 1, 1, 2, 3, 3, 0], [1, 0, 2, 1, 2, 1, 3]))
        shape = (len(first), 2, height, width)
        self.edges = Edges(first, second, 2.0 + normal(*shape), 0.5 + normal(*shape).abs())
        self.damping = 0.01 + 0.01 * normal(frames, height, width).abs()
        self.free = range(1, frames)

    @staticmethod
    def hat(tangents: torch.Tensor) -> torch.Tensor:
        whole = torch.zeros(*tangents.shape[:-1], 4, 4, dtype=tangents.dtype)
        shift, (x, y, z) = tangents[..., :3], tangents[..., 3:].unbind(-1)
        rows = [(0 * x, -z, y), (z, 0 * x, -x), (-y, x, 0 * x)]
        turn = torch.stack([torch.stack(row, -1) for row in rows], -2)
        whole[..., :3, :] = torch.cat((turn, shift[..., None]), -1)
        return whole

    def weighted_misses(self, steps: torch.Tensor, deepening: torch.Tensor) -> torch.Tensor:
        """Misses times the root of their weight, after these steps of the free poses and of all depths."""
        still = torch.eye(4, dtype=steps.dtype)[None]
        poses = torch.cat((still, torch.linalg.matrix_exp(self.hat(steps)))) @ self.poses
        where = torch.from_numpy(self.edges.sources), torch.from_numpy(self.edges.targets)
        places, _ = reprojected(poses, self.depths + deepening, self.lens, *where)
        return ((self.edges.places - places) * (WEIGHT * self.edges.weights).sqrt()).flatten()

    def zero(self) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.zeros(len(self.free), 6, dtype=torch.float64), torch.zeros_like(self.depths)


def test_gradient_and_step_are_those_of_autodiff() -> None:
    twin = Twin()
    reduced = reduce(linearised(twin.poses, twin.depths, twin.lens, twin.edges), twin.edges, twin.damping, twin.free)
    variables = [part.requires_grad_() for part in twin.zero()]
    pulls = torch.autograd.grad(-0.5 * (twin.weighted_misses(*variables) ** 2).sum(), variables)
    assert torch.allclose(reduced.depth_pull, pulls[1].flatten(1), rtol=1e-6, atol=1e-12)
    slopes = torch.autograd.functional.jacobian(twin.weighted_misses, twin.zero())
    by_pose, by_depth = (part.flatten(1) for part in slopes)
    whole = torch.cat((by_pose, by_depth), 1)
    hessian = whole.T @ whole
    poses = by_pose.shape[1]
    hessian += torch.diag(torch.cat((torch.zeros(poses), twin.damping.flatten())))
    # Damping follows the elimination, so that the diagonal is that of the reduced system.
    corner = hessian[:poses, poses:]
    left = hessian[:poses, :poses] - corner @ torch.linalg.inv(hessian[poses:, poses:]) @ corner.T
    assert torch.allclose(reduced.matrix, left, rtol=1e-6, atol=1e-10)
    hessian[:poses, :poses] += torch.diag(FRONT.absolute + FRONT.relative * left.diagonal())
    wanted = torch.linalg.solve(hessian, torch.cat([pull.flatten() for pull in pulls]))
    step, deepening = solve(reduced, replace(FRONT, first_moves_depths=True))
    assert torch.allclose(step.flatten(), wanted[:poses], rtol=1e-6, atol=1e-9)
    assert torch.allclose(deepening.flatten(), wanted[poses:], rtol=1e-6, atol=1e-9)


def test_the_unit_of_length_is_free() -> None:
    """Scenes of any size fit alike: a step along the scale costs nothing, and the unit can be chosen anew."""
    twin = Twin()
    start = motions.inverse(twin.poses[:1])
    twin.poses = twin.poses @ start
    grown = twin.poses.clone()
    grown[:, :3, 3] *= 3.0
    where = torch.from_numpy(twin.edges.sources), torch.from_numpy(twin.edges.targets)
    before, _ = reprojected(twin.poses, twin.depths, twin.lens, *where)
    after, _ = reprojected(grown, twin.depths / 3.0, twin.lens, *where)
    assert torch.allclose(before, after, atol=1e-12)
    slopes = torch.autograd.functional.jacobian(twin.weighted_misses, twin.zero())
    growing = torch.zeros(len(twin.free), 6, dtype=torch.float64)
    growing[:, :3] = twin.poses[1:, :3, 3]
    change = slopes[0].flatten(1) @ growing.flatten() - slopes[1].flatten(1) @ twin.depths.flatten()
    assert change.abs().max() < 1e-12 < slopes[0].abs().max()
    none = torch.zeros(4, 1, 4, 5)
    known_frames = Keyframes(Encoded(none, none, none), twin.lens.float())
    for frame in range(4):
        known_frames.append(frame)
    known_frames.poses[:4], known_frames.depths[:4] = twin.poses, twin.depths.float()
    known_frames.normalise()
    assert float(known_frames.depths[:4].mean()) == pytest.approx(1.0, abs=1e-6)
    assert torch.allclose(known_frames.reproject(*where)[0].double(), before, atol=1e-4)


def test_a_system_without_a_solution_moves_nothing() -> None:
    twin = Twin()
    reduced = reduce(linearised(twin.poses, twin.depths, twin.lens, twin.edges), twin.edges, twin.damping, twin.free)
    step, _ = solve(reduced._replace(matrix=-reduced.matrix), FRONT)
    assert (step == 0).all()
