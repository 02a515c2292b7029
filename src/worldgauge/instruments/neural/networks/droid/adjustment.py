"""Dense bundle adjustment: poses and the inverse depth of every pixel from the flow along edges between frames.

Gauss-Newton steps. Every pixel's depth is seen only through edges that leave its frame, so the depths are eliminated
first (Schur complement) and what is left are six unknowns per pose, solved in double precision. Sums over edges are
laid out as tables with a row per source frame, so that they are products of matrices and keep their order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from worldgauge.instruments.neural.networks.droid.motions import adjoint, exp
from worldgauge.instruments.neural.networks.droid.projection import NEAREST_ADJUSTED, moved, rays, relative

Numbers = NDArray[np.int64]
WEIGHT = 0.001
"""What the confidence of the network is multiplied by; damping was chosen beside it."""


@dataclass(frozen=True)
class Solver:
    """How a step is damped."""

    relative: float = 1e-4
    """Share of each diagonal entry of the reduced system that is added to it."""
    absolute: float = 0.1
    iterations: int = 2
    first_moves_depths: bool = False
    """Whether depths answer to the step of the first free pose. In the authors' CUDA code they do not: their next step
    makes up for it."""


class Edges(NamedTuple):
    """Flow between frames: where the pixels of the source are seen in the target, and how sure that is."""

    sources: Numbers
    targets: Numbers
    places: Tensor
    """(E, 2, h, w), px."""
    weights: Tensor
    """(E, 2, h, w)."""


class Linearised(NamedTuple):
    """Squared misses of the edges to second order around the present state."""

    poses: Tensor
    """(E, 12, 12): products of derivatives by the source's pose, then by the target's."""
    pose_pull: Tensor
    """(E, 12)."""
    source_arms: Tensor
    """(E, 6, h w): products of the derivatives by the source's pose and by each depth."""
    target_arms: Tensor
    depths: Tensor
    """(E, h w)."""
    depth_pull: Tensor
    """(E, h w)."""


class Reduced(NamedTuple):
    """The system of poses alone, and what brings the depths back."""

    matrix: Tensor
    """(6 P, 6 P), double precision."""
    pull: Tensor
    """(6 P,)."""
    frames: Tensor
    """(M,): frames whose depths are free."""
    arms: Tensor
    """(M, 6 (D + 1), h w): of the frame's own pose, then of the other poses it has edges to."""
    slots: Tensor
    """(M, D + 1): which free pose an arm belongs to; P for none."""
    inverse: Tensor
    """(M, h w): one over the curvature of each depth."""
    depth_pull: Tensor


def adjust(
    poses: Tensor, depths: Tensor, damping: Tensor, intrinsics: Tensor, edges: Edges, free: range, solver: Solver
) -> None:
    """Move the `free` poses and the depths of all source frames, in place. `damping` is (N, h, w)."""
    for _ in range(solver.iterations):
        system = linearised(poses, depths, intrinsics, edges)
        reduced = reduce(system, edges, damping, free)
        step, deepening = solve(reduced, solver)
        poses[free.start : free.stop] = exp(step.to(poses.dtype)) @ poses[free.start : free.stop]
        depths[reduced.frames] += deepening.view(-1, *depths.shape[1:])


def adjust_motion(poses: Tensor, depths: Tensor, intrinsics: Tensor, edges: Edges, free: range, solver: Solver) -> None:
    """Move the `free` poses alone, in place."""
    for _ in range(solver.iterations):
        system = linearised(poses, depths, intrinsics, edges)
        matrix, pull = _pose_system(system, edges, free)
        step = damped_solution(matrix, pull, solver).view(-1, 6)
        poses[free.start : free.stop] = exp(step.to(poses.dtype)) @ poses[free.start : free.stop]


def linearised(poses: Tensor, depths: Tensor, intrinsics: Tensor, edges: Edges) -> Linearised:
    """Derivatives of where pixels are seen, weighted and summed over the pixels of each edge."""
    sources, targets = (torch.from_numpy(part).to(depths.device) for part in (edges.sources, edges.targets))
    motion = relative(poses, sources, targets)
    seen = depths[sources]
    x, y, z = moved(motion, seen, rays((seen.shape[1], seen.shape[2]), intrinsics)).unbind(1)
    valid = z >= NEAREST_ADJUSTED
    near = torch.where(valid, 1 / torch.where(valid, z, 1.0), 0.0)
    # Slopes of the ray, and inverse depth in the target frame.
    u, v, h = x * near, y * near, seen.flatten(1) * near
    focal, centre = intrinsics[:2, None], intrinsics[2:, None]
    miss = edges.places.flatten(2) - (torch.stack((u, v), 1) * focal + centre)
    weight = WEIGHT * edges.weights.flatten(2) * valid[:, None]
    zero = torch.zeros_like(u)
    across = torch.stack((h, zero, -u * h, -u * v, 1 + u * u, -v), 1)
    down = torch.stack((zero, h, -v * h, -1 - v * v, u * v, u), 1)
    # (E, 2, 6, h w): by the target's pose; by the source's it is the same motion seen from the other end.
    by_target = torch.stack((across, down), 1) * focal[:, :, None]
    by_source = -adjoint(motion).to(seen.dtype).mT[:, None] @ by_target
    shift = motion[:, :3, 3].to(seen.dtype)
    by_depth = (shift[:, :2, None] - shift[:, 2:, None] * torch.stack((u, v), 1)) * near[:, None] * focal
    both = torch.cat((by_source, by_target), 2)
    weighted = both * weight[:, :, None]
    pulled = weight * miss
    arms = (weighted * by_depth[:, :, None]).sum(1)
    return Linearised(
        poses=(weighted @ both.mT).sum(1),
        pose_pull=(both @ pulled[..., None])[..., 0].sum(1),
        source_arms=arms[:, :6],
        target_arms=arms[:, 6:],
        depths=(weight * by_depth**2).sum(1),
        depth_pull=(pulled * by_depth).sum(1),
    )


def reduce(system: Linearised, edges: Edges, damping: Tensor, free: range) -> Reduced:
    """Eliminate the depths of all source frames and of all free ones; `damping` (N, h, w) joins their curvature."""
    device, count = damping.device, len(free)
    frames = np.union1d(edges.sources, np.arange(free.start, free.stop))
    table, other = _table(frames, edges)
    filled = torch.from_numpy(table >= 0).to(device)
    rows = torch.from_numpy(table.clip(0)).to(device)
    own = _free_slot(frames, free)
    slots = torch.from_numpy(np.concatenate((own[:, None], _free_slot(other, free)), 1)).to(device)

    def gathered(part: Tensor) -> Tensor:
        return part[rows] * filled.view(*filled.shape, *(1,) * (part.ndim - 1))

    chosen = torch.from_numpy(frames).to(device)
    curvature = gathered(system.depths).sum(1) + damping[chosen].flatten(1)
    depth_pull = gathered(system.depth_pull).sum(1)
    arms = torch.cat((gathered(system.source_arms).sum(1, keepdim=True), gathered(system.target_arms)), 1)
    arms = (arms * (slots < count)[..., None, None]).flatten(1, 2)
    inverse = 1 / curvature
    spread = arms * inverse[:, None]
    matrix, pull = _pose_system(system, edges, free)
    blocks = (spread @ arms.mT).double().unflatten(2, (-1, 6)).unflatten(1, (-1, 6)).transpose(2, 3)
    first, second = (part.expand(blocks.shape[:3]).flatten() for part in (slots[:, :, None], slots[:, None, :]))
    drawn = (spread @ depth_pull[..., None])[..., 0].double().unflatten(1, (-1, 6))
    matrix = matrix - _summed(blocks.flatten(0, 2), (first, second), count)
    pull = pull - _summed(drawn.flatten(0, 1), (slots.flatten(),), count)
    return Reduced(matrix, pull, chosen, arms, slots, inverse, depth_pull)


def solve(reduced: Reduced, solver: Solver) -> tuple[Tensor, Tensor]:
    """Steps of the free poses (P, 6) and of the depths (M, h w)."""
    return steps_of(reduced, damped_solution(reduced.matrix, reduced.pull, solver), solver.first_moves_depths)


def steps_of(reduced: Reduced, solution: Tensor, first_moves_depths: bool = True) -> tuple[Tensor, Tensor]:
    """The same for a known step of the poses (6 P,)."""
    step = solution.view(-1, 6)
    felt = torch.cat((step, step.new_zeros(1, 6))).to(reduced.arms.dtype)
    if not first_moves_depths:
        felt[0] = 0
    shares = felt[reduced.slots].flatten(1)
    deepening = reduced.inverse * (reduced.depth_pull - (shares[:, None] @ reduced.arms)[:, 0])
    return step, deepening


def damped_solution(matrix: Tensor, pull: Tensor, solver: Solver) -> Tensor:
    """(6 P,); zeros where the system has no solution, as the authors do."""
    diagonal = matrix.diagonal()
    factor, failed = torch.linalg.cholesky_ex(matrix + torch.diag(solver.absolute + solver.relative * diagonal))
    found = torch.cholesky_solve(pull[:, None], factor)[:, 0]
    return torch.where(failed == 0, found, 0.0)


def _pose_system(system: Linearised, edges: Edges, free: range) -> tuple[Tensor, Tensor]:
    """Sums over edges of what concerns free poses: (6 P, 6 P) and (6 P,), double precision."""
    device, count = system.poses.device, len(free)
    ends = np.stack((edges.sources, edges.targets), 1)
    slots = torch.from_numpy(_free_slot(ends, free)).to(device)
    blocks = system.poses.double().unflatten(2, (2, 6)).unflatten(1, (2, 6)).transpose(2, 3)
    first, second = (part.expand(blocks.shape[:3]).flatten() for part in (slots[:, :, None], slots[:, None, :]))
    matrix = _summed(blocks.flatten(0, 2), (first, second), count)
    pull = _summed(system.pose_pull.double().unflatten(1, (2, 6)).flatten(0, 1), (slots.flatten(),), count)
    return matrix, pull


def _summed(parts: Tensor, places: tuple[Tensor, ...], count: int) -> Tensor:
    """Blocks (K, 6, ...) added up at their places among `count` poses; the place `count` is for what is left out."""
    axes = len(places)
    total = parts.new_zeros(*(count + 1,) * axes, *(6,) * axes)
    total.index_put_(places, parts, accumulate=True)
    if axes == 1:
        return total[:count].flatten()
    return total[:count, :count].transpose(1, 2).reshape(6 * count, 6 * count)


def _free_slot(frames: Numbers, free: range) -> Numbers:
    """Numbers of frames among the free ones, and their count for the others."""
    inside = (frames >= free.start) & (frames < free.stop)
    return np.where(inside, frames - free.start, len(free))


def _table(frames: Numbers, edges: Edges) -> tuple[Numbers, Numbers]:
    """Per source frame its edges' numbers, filled up by -1, and their target frames, filled up by -1."""
    order = np.argsort(edges.sources, kind="stable")
    row = np.searchsorted(frames, edges.sources[order])
    begins = np.searchsorted(row, np.arange(len(frames)))
    column = np.arange(len(order)) - begins[row]
    table = np.full((len(frames), int(column.max(initial=-1)) + 1), -1, np.int64)
    other = table.copy()
    table[row, column], other[row, column] = order, edges.targets[order]
    return table, other
