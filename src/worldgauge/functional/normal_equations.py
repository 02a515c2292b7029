"""The normal equations of bundle adjustment: slopes of the residuals, inverse depths eliminated (Schur complement)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from worldgauge.functional.projection import Floats, Freedom, Ints, Observations, State, in_camera

MAX_INVERSE_DEPTH = 30.0
"""Nothing is nearer than 1/30 of the typical depth."""


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


@dataclass(frozen=True, eq=False)
class System:
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


def linearise(
    obs: Observations, state: State, freedom: Freedom, scale: float, prior: float,
    focal_prior: tuple[float, float] | None,
) -> System:  # fmt: skip
    count, points = len(state.rotation), len(obs.anchor)
    anchor = obs.anchor[obs.point]
    other, own, by_depth, by_focal, residual = _slopes(obs, state, anchor, scale)
    hessian, gradient = _camera_part(count, anchor, obs.camera, other, own, by_focal, residual)
    if freedom.ties is not None and freedom.translation:
        _tie(hessian, gradient, freedom.ties, state, tie_weight(state, scale))
    if freedom.focal and focal_prior is not None:
        hessian[-1, -1] += 1.0 / focal_prior[1] ** 2
        gradient[-1] += float(np.log(state.focal / focal_prior[0])) / focal_prior[1] ** 2
    free = np.repeat(freedom.cameras, 6).reshape(-1, 6)
    free[:, 3:] &= freedom.translation
    columns = np.flatnonzero(np.append(free.ravel(), freedom.focal))
    hessian, gradient = hessian[np.ix_(columns, columns)], gradient[columns]
    if not freedom.translation:
        return System(hessian, gradient, columns, None, np.ones(points), np.zeros(points))
    coupling = np.zeros((points, count + 1, 6))
    coupling[obs.point, obs.camera] = np.einsum("mij,mi->mj", own, by_depth)
    by_anchor = np.einsum("mij,mi->mj", other, by_depth)
    for k in range(6):
        coupling[np.arange(points), obs.anchor, k] += np.bincount(obs.point, by_anchor[:, k], points)
    coupling[:, count, 0] = np.bincount(obs.point, (by_depth * by_focal).sum(axis=1), points)
    depth_hessian = np.bincount(obs.point, (by_depth**2).sum(axis=1), points) + prior**2
    depth_slope = np.bincount(obs.point, (by_depth * residual).sum(axis=1), points)
    depth_gradient = depth_slope + prior**2 * (state.inverse_depth - 1.0)
    coupling = coupling.reshape(points, -1)[:, columns]
    return System(
        hessian,
        gradient,
        columns,
        coupling,
        np.asarray(depth_hessian, np.float64),
        np.asarray(depth_gradient, np.float64),
    )


def tie_weight(state: State, scale: float) -> float:
    """How many `scale`s it costs to put two tied cameras one typical depth apart: as much as a hundred tracks would."""
    return 10.0 * state.focal / scale


def _tie(hessian: Floats, gradient: Floats, ties: Ints, state: State, weight: float) -> None:
    for i, j in ties.tolist():
        apart = weight**2 * (state.centre[i] - state.centre[j])
        first, second = slice(6 * i + 3, 6 * i + 6), slice(6 * j + 3, 6 * j + 6)
        gradient[first] += apart
        gradient[second] -= apart
        block = weight**2 * np.eye(3)
        hessian[first, first] += block
        hessian[second, second] += block
        hessian[first, second] -= block
        hessian[second, first] -= block


def _slopes(
    obs: Observations, state: State, anchor: Ints, scale: float
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Derivatives of the residuals by anchor, camera (M, 2, 6), inverse depth, log focal (M, 2), and the residuals.

    All are in units of `scale` and times the square root of the Cauchy weight.
    """
    y, world, turned = in_camera(obs, state)
    depth = np.where(y[:, 2] > 1e-3, y[:, 2], 1e-3)
    flat = y[:, :2] / depth[:, None]
    residual = (state.focal * flat - obs.seen) / scale
    root = 1.0 / np.sqrt(1.0 + (residual**2).sum(axis=1))
    gain = state.focal / depth / scale * root
    # d prediction / d (point in world axes): two rows of the projection times the transposed rotation.
    rows = np.zeros((len(y), 2, 3))
    rows[:, 0, 0] = rows[:, 1, 1] = gain
    rows[:, :, 2] = -gain[:, None] * flat
    project = rows @ np.swapaxes(state.rotation[obs.camera], 1, 2)
    r = state.inverse_depth[obs.point, None, None]
    own, other = np.empty((len(y), 2, 6)), np.empty((len(y), 2, 6))
    # Row times cross-product matrix: p [v]x = p x v.
    own[:, :, :3], own[:, :, 3:] = np.cross(project, world[:, None]), -r * project
    other[:, :, :3], other[:, :, 3:] = np.cross(turned[:, None], project), r * project
    by_depth = np.einsum("mij,mj->mi", project, state.centre[anchor] - state.centre[obs.camera])
    shrink = np.concatenate([-obs.pixel / state.focal, np.zeros((len(obs.pixel), 1))], axis=1)
    shrink = np.einsum("pij,pj->pi", state.rotation[obs.anchor], shrink)[obs.point]
    by_focal = (state.focal / scale * root)[:, None] * flat + np.einsum("mij,mj->mi", project, shrink)
    return other, own, by_depth, by_focal, residual * root[:, None]


def _camera_part(
    count: int, anchor: Ints, camera: Ints, other: Floats, own: Floats, by_focal: Floats, residual: Floats
) -> tuple[Floats, Floats]:
    """Hessian (6 N + 1)^2 and gradient (6 N + 1,) of cameras and log focal.

    Observations of one pair (anchor, camera) touch the same columns, so one small product per pair does for all.
    """
    pair = anchor * count + camera
    order = np.argsort(pair, kind="stable")
    rows = np.concatenate([other, own, by_focal[..., None], residual[..., None]], axis=2)[order].reshape(-1, 14)
    starts = np.flatnonzero(np.diff(pair[order], prepend=-1))
    ends = np.append(starts[1:], len(order))
    hessian, gradient = np.zeros((6 * count + 1, 6 * count + 1)), np.zeros(6 * count + 1)
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        block = rows[2 * start : 2 * end]
        product = block.T @ block
        i, j = 6 * int(anchor[order[start]]), 6 * int(camera[order[start]])
        hessian[i : i + 6, i : i + 6] += product[:6, :6]
        hessian[j : j + 6, j : j + 6] += product[6:12, 6:12]
        hessian[i : i + 6, j : j + 6] += product[:6, 6:12]
        hessian[j : j + 6, i : i + 6] += product[6:12, :6]
        hessian[i : i + 6, -1] += product[:6, 12]
        hessian[j : j + 6, -1] += product[6:12, 12]
        hessian[-1, -1] += product[12, 12]
        gradient[i : i + 6] += product[:6, 13]
        gradient[j : j + 6] += product[6:12, 13]
        gradient[-1] += product[12, 13]
    hessian[-1, :-1] = hessian[:-1, -1]
    return hessian, gradient
