"""Bundle adjustment with inverse depths: cameras, points and (on request) one focal length from image tracks.

A point lives in the frame that first saw it: bearing x = (pixel - principal point) / focal, inverse depth r. In camera j

    y = R_j' (r (c_a - c_j) + R_a x),   prediction = focal * y_xy / y_z

so a point at infinity is r = 0 and a camera that only turns needs no special case. A weak prior holds r near 1: it
fixes the scale of the path (the unit is the typical scene depth) and decides what no parallax decides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

MAX_INVERSE_DEPTH = 30.0
"""Nothing is nearer than 1/30 of the typical depth."""


@dataclass(frozen=True, eq=False)
class Observations:
    """Points and where other cameras saw them. Pixels are offsets from the principal point."""

    anchor: Ints
    """(P,) camera that owns each point."""
    pixel: Floats
    """(P, 2) the point in its own camera."""
    point: Ints
    """(M,) which point an observation is of."""
    camera: Ints
    """(M,) which camera made it."""
    seen: Floats
    """(M, 2) pixels."""

    def only(self, observations: Bools) -> Observations:
        """The chosen observations (M,) and the points that still have one."""
        kept, renumbered = np.unique(self.point[observations], return_inverse=True)
        return Observations(
            self.anchor[kept], self.pixel[kept], renumbered.astype(np.int64),
            self.camera[observations], self.seen[observations],
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class State:
    """What is adjusted."""

    rotation: Floats
    """(N, 3, 3) camera-to-world."""
    centre: Floats
    """(N, 3)"""
    inverse_depth: Floats
    """(P,)"""
    focal: float


@dataclass(frozen=True)
class Freedom:
    """Which unknowns may move."""

    cameras: Bools
    """(N,) cameras that may move; at least one must not, to fix the frame of reference."""
    translation: bool = True
    """Without it cameras only turn and every point is at infinity."""
    focal: bool = False


def skew(v: Floats) -> Floats:
    """(..., 3) -> (..., 3, 3), the matrix of the cross product."""
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    zero = np.zeros_like(x)
    return np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape(*v.shape[:-1], 3, 3)


def exponential(v: Floats) -> Floats:
    """Rotation matrices of rotation vectors, (..., 3) -> (..., 3, 3)."""
    angle = np.linalg.norm(v, axis=-1)[..., None, None]
    k = skew(v)
    safe = np.maximum(angle, 1e-12)
    a = np.where(angle > 1e-8, np.sin(safe) / safe, 1.0)
    b = np.where(angle > 1e-4, (1 - np.cos(safe)) / safe**2, 0.5)
    return np.asarray(np.eye(3) + a * k + b * (k @ k))


def _in_camera(obs: Observations, state: State) -> tuple[Floats, Floats, Floats]:
    """The points in the observing cameras (M, 3), in world axes from there (M, 3), and turned bearings (M, 3)."""
    bearing = np.concatenate([obs.pixel / state.focal, np.ones((len(obs.pixel), 1))], axis=1)
    turned = np.einsum("pij,pj->pi", state.rotation[obs.anchor], bearing)[obs.point]
    baseline = state.centre[obs.anchor[obs.point]] - state.centre[obs.camera]
    world = state.inverse_depth[obs.point, None] * baseline + turned
    return np.einsum("mij,mi->mj", state.rotation[obs.camera], world), world, turned


def residuals(obs: Observations, state: State) -> Floats:
    """(M, 2) predicted minus seen, pixels; large where a point falls behind the camera."""
    y = _in_camera(obs, state)[0]
    depth = np.where(y[:, 2] > 1e-3, y[:, 2], 1e-3)
    return np.asarray(state.focal * y[:, :2] / depth[:, None] - obs.seen)


def distances(obs: Observations, state: State) -> Floats:
    """(M,) lengths of the residuals, pixels."""
    return np.asarray(np.linalg.norm(residuals(obs, state), axis=1))


def robust_cost(distance: Floats, scale: float) -> float:
    """Cauchy loss in units of `scale`, summed."""
    return float(np.log1p((distance / scale) ** 2).sum())


@dataclass(frozen=True, eq=False)
class Adjusted:
    """The outcome of `adjust`."""

    state: State
    cost: float
    focal_sigma: float
    """Standard deviation of log focal for residuals of size `scale`; infinite when it was not free."""


def adjust(
    obs: Observations, state: State, freedom: Freedom, *, scale: float, iterations: int = 10, prior: float = 0.3,
    focal_prior: tuple[float, float] | None = None, tolerance: float = 1e-4,
) -> Adjusted:  # fmt: skip
    """Levenberg-Marquardt with a Cauchy loss of width `scale` pixels; inverse depths are eliminated first.

    `prior` is how many `scale`s an inverse depth of 0 (or 2) costs. `focal_prior` is (focal, sigma of its logarithm).
    """
    if not freedom.translation:
        state = replace(state, inverse_depth=np.zeros_like(state.inverse_depth))
    cost = _total_cost(obs, state, freedom, scale, prior, focal_prior)
    damping, focal_sigma = 1e-3, float("inf")
    for _ in range(iterations):
        system = _linearise(obs, state, freedom, scale, prior, focal_prior)
        if freedom.focal:
            focal_sigma = system.focal_sigma()
        for _ in range(5):
            trial = system.step(state, damping)
            trial_cost = _total_cost(obs, trial, freedom, scale, prior, focal_prior)
            if trial_cost < cost:
                break
            damping *= 8.0
        else:
            break
        gain, state, cost = cost - trial_cost, trial, trial_cost
        damping = max(damping / 5.0, 1e-7)
        if gain < tolerance * cost:
            break
    return Adjusted(state, cost, focal_sigma)


def _total_cost(
    obs: Observations, state: State, freedom: Freedom, scale: float, prior: float,
    focal_prior: tuple[float, float] | None,
) -> float:  # fmt: skip
    cost = robust_cost(distances(obs, state), scale)
    if freedom.translation:
        cost += prior**2 * float(((state.inverse_depth - 1.0) ** 2).sum())
    if freedom.focal and focal_prior is not None:
        cost += (np.log(state.focal / focal_prior[0]) / focal_prior[1]) ** 2
    return cost


@dataclass(frozen=True, eq=False)
class _System:
    """Normal equations with inverse depths already eliminated or ready to be."""

    hessian: Floats
    gradient: Floats
    columns: Ints
    """Free columns among 6 N + 1: per camera three of rotation and three of centre, then log focal."""
    coupling: Floats | None
    """(P, C) free columns against inverse depths."""
    depth_hessian: Floats
    depth_gradient: Floats

    def _reduced(self, damping: float) -> tuple[Floats, Floats, Floats]:
        hessian = self.hessian + damping * np.diag(np.diag(self.hessian)) + 1e-9 * np.eye(len(self.hessian))
        inverse = 1.0 / (self.depth_hessian * (1.0 + damping) + 1e-12)
        if self.coupling is None:
            return hessian, self.gradient, inverse
        weighted = self.coupling * inverse[:, None]
        return hessian - self.coupling.T @ weighted, self.gradient - weighted.T @ self.depth_gradient, inverse

    def step(self, state: State, damping: float) -> State:
        import scipy.linalg

        hessian, gradient, inverse = self._reduced(damping)
        try:
            solution = -scipy.linalg.solve(hessian, gradient, assume_a="pos", check_finite=False)
        except np.linalg.LinAlgError:
            return state
        full = np.zeros(6 * len(state.rotation) + 1)
        full[self.columns] = solution
        camera = full[:-1].reshape(-1, 6)
        depth = state.inverse_depth
        if self.coupling is not None:
            depth = depth - inverse * (self.depth_gradient + self.coupling @ solution)
            depth = np.clip(depth, 0.0, MAX_INVERSE_DEPTH)
        return State(
            exponential(camera[:, :3]) @ state.rotation, state.centre + camera[:, 3:], depth,
            state.focal * float(np.exp(np.clip(full[-1], -0.3, 0.3))),
        )  # fmt: skip

    def focal_sigma(self) -> float:
        hessian, _, _ = self._reduced(1e-9)
        unit = np.zeros(len(hessian))
        unit[-1] = 1.0
        try:
            variance = float(np.linalg.solve(hessian, unit)[-1])
        except np.linalg.LinAlgError:
            return float("inf")
        return float(np.sqrt(variance)) if variance > 0 else float("inf")


def _linearise(
    obs: Observations, state: State, freedom: Freedom, scale: float, prior: float,
    focal_prior: tuple[float, float] | None,
) -> _System:  # fmt: skip
    count = len(state.rotation)
    y, world, turned = _in_camera(obs, state)
    depth = np.where(y[:, 2] > 1e-3, y[:, 2], 1e-3)
    flat = y[:, :2] / depth[:, None]
    residual = (state.focal * flat - obs.seen) / scale
    weight = 1.0 / (1.0 + (residual**2).sum(axis=1))
    # d prediction / d (point in world axes): two rows of the projection times the transposed rotation.
    rows = np.zeros((len(y), 2, 3))
    rows[:, 0, 0] = rows[:, 1, 1] = state.focal / depth / scale
    rows[:, :, 2] = -(state.focal / depth / scale)[:, None] * flat
    project = rows @ np.swapaxes(state.rotation[obs.camera], 1, 2)
    anchor = obs.anchor[obs.point]
    r = state.inverse_depth[obs.point, None, None]
    own = np.concatenate([project @ skew(world), -r * project], axis=2)
    other = np.concatenate([-(project @ skew(turned)), r * project], axis=2)
    by_depth = np.einsum("mij,mj->mi", project, state.centre[anchor] - state.centre[obs.camera])
    shrink = np.concatenate([-obs.pixel / state.focal, np.zeros((len(obs.pixel), 1))], axis=1)
    shrink = np.einsum("pij,pj->pi", state.rotation[obs.anchor], shrink)[obs.point]
    by_focal = state.focal * flat / scale + np.einsum("mij,mj->mi", project, shrink)

    free = np.repeat(freedom.cameras, 6).reshape(-1, 6)
    free[:, 3:] &= freedom.translation
    columns = np.flatnonzero(np.append(free.ravel(), freedom.focal))
    hessian, gradient = _camera_blocks(count, anchor, obs.camera, other, own, residual, weight)
    weighted_focal = weight[:, None] * by_focal
    border = np.zeros((count, 6))
    _add_rows(border, obs.camera, np.einsum("mij,mi->mj", own, weighted_focal))
    _add_rows(border, anchor, np.einsum("mij,mi->mj", other, weighted_focal))
    hessian[-1, :-1] = hessian[:-1, -1] = border.ravel()
    hessian[-1, -1] = float((weighted_focal * by_focal).sum())
    gradient[-1] = float((weighted_focal * residual).sum())
    if freedom.focal and focal_prior is not None:
        hessian[-1, -1] += 1.0 / focal_prior[1] ** 2
        gradient[-1] += float(np.log(state.focal / focal_prior[0])) / focal_prior[1] ** 2

    points = len(obs.anchor)
    if not freedom.translation:
        return _System(hessian[np.ix_(columns, columns)], gradient[columns], columns, None, np.ones(points), np.zeros(points))
    weighted = weight[:, None] * by_depth
    coupling = np.zeros((points, count + 1, 6))
    coupling[obs.point, obs.camera] = np.einsum("mij,mi->mj", own, weighted)
    at_anchor = np.zeros((points, 6))
    _add_rows(at_anchor, obs.point, np.einsum("mij,mi->mj", other, weighted))
    coupling[np.arange(points), obs.anchor] += at_anchor
    coupling[:, count, 0] = np.bincount(obs.point, (weighted * by_focal).sum(axis=1), points)
    depth_hessian = np.bincount(obs.point, (weighted * by_depth).sum(axis=1), points) + prior**2
    depth_gradient = np.bincount(obs.point, (weighted * residual).sum(axis=1), points)
    depth_gradient += prior**2 * (state.inverse_depth - 1.0)
    return _System(
        hessian[np.ix_(columns, columns)], gradient[columns], columns,
        coupling.reshape(points, -1)[:, columns], depth_hessian, depth_gradient,
    )  # fmt: skip


def _camera_blocks(
    count: int, anchor: Ints, camera: Ints, other: Floats, own: Floats, residual: Floats, weight: Floats
) -> tuple[Floats, Floats]:
    """Hessian (6 N + 1)^2 and gradient of the cameras, summed per pair (anchor, camera) before scattering."""
    both = np.concatenate([other, own], axis=2)
    weighted = weight[:, None, None] * both
    pair = anchor * count + camera
    order = np.argsort(pair, kind="stable")
    starts = np.flatnonzero(np.diff(pair[order], prepend=-1))
    blocks = np.add.reduceat((np.swapaxes(weighted, 1, 2) @ both)[order], starts, axis=0)
    slopes = np.add.reduceat(np.einsum("mij,mi->mj", weighted, residual)[order], starts, axis=0)
    first, second = np.divmod(pair[order][starts], count)
    hessian = np.zeros((count, 6, count, 6))
    gradient = np.zeros((count, 6))
    np.add.at(hessian, (first, slice(None), first), blocks[:, :6, :6])
    np.add.at(hessian, (second, slice(None), second), blocks[:, 6:, 6:])
    np.add.at(hessian, (first, slice(None), second), blocks[:, :6, 6:])
    np.add.at(hessian, (second, slice(None), first), blocks[:, 6:, :6])
    np.add.at(gradient, first, slopes[:, :6])
    np.add.at(gradient, second, slopes[:, 6:])
    full = np.zeros((6 * count + 1, 6 * count + 1))
    full[:-1, :-1] = hessian.reshape(6 * count, 6 * count)
    return full, np.append(gradient.ravel(), 0.0)


def _add_rows(target: Floats, index: Ints, rows: Floats) -> None:
    for column in range(rows.shape[1]):
        target[:, column] += np.bincount(index, rows[:, column], len(target))
