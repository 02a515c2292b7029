"""Cameras and points with inverse depths, and where the ones see the others.

A point lives in one frame, its anchor: bearing x = (pixel - principal point) / focal, inverse depth r. In camera j

    y = R_j' (r (c_a - c_j) + R_a x),   prediction = focal * y_xy / y_z

so a point at infinity is r = 0 and a camera that only turns needs no special case.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


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
    ties: Ints | None = None
    """(T, 2) pairs of cameras known to stand in the same place."""


def rays(pixel: Floats, focal: float) -> Floats:
    """(K, 3) bearings with z = 1 of pixels (K, 2) counted from the principal point."""
    return np.concatenate([pixel / focal, np.ones((len(pixel), 1))], axis=1)


def in_camera(obs: Observations, state: State) -> tuple[Floats, Floats, Floats]:
    """The points in the observing cameras (M, 3), in world axes from there (M, 3), and turned bearings (M, 3)."""
    turned = np.einsum("pij,pj->pi", state.rotation[obs.anchor], rays(obs.pixel, state.focal))[obs.point]
    baseline = state.centre[obs.anchor[obs.point]] - state.centre[obs.camera]
    world = state.inverse_depth[obs.point, None] * baseline + turned
    return np.einsum("mij,mi->mj", state.rotation[obs.camera], world), world, turned


def residuals(obs: Observations, state: State) -> Floats:
    """(M, 2) predicted minus seen, pixels; large where a point falls behind the camera."""
    y = in_camera(obs, state)[0]
    depth = np.where(y[:, 2] > 1e-3, y[:, 2], 1e-3)
    return np.asarray(state.focal * y[:, :2] / depth[:, None] - obs.seen)


def depths_ahead(obs: Observations, state: State) -> Floats:
    """(M,) depth in the observing camera of a point at depth 1 in its own: r in there is r here divided by this."""
    return np.asarray(np.maximum(in_camera(obs, state)[0][:, 2], 1e-3))


def distances(obs: Observations, state: State) -> Floats:
    """(M,) lengths of the residuals, pixels."""
    return np.asarray(np.linalg.norm(residuals(obs, state), axis=1))


def strays(obs: Observations, state: State) -> tuple[Ints, Floats]:
    """Frames (K,) and lengths (K,), pixels: how far points seen in a frame and the one before it stray between the two.

    A point that keeps its distance from where it should be does not stray: of a slow change of its looks, which pulls
    a followed point away a little in every frame, one step is counted and not the sum.
    """
    own = len(obs.anchor)
    point = np.concatenate([obs.point, np.arange(own)])
    camera = np.concatenate([obs.camera, obs.anchor])
    # In its own camera a point lies where it was seen.
    missed = np.concatenate([residuals(obs, state), np.zeros((own, 2))])
    order = np.lexsort((camera, point))
    point, camera, missed = point[order], camera[order], missed[order]
    next_frame = (point[1:] == point[:-1]) & (camera[1:] == camera[:-1] + 1)
    return camera[1:][next_frame], np.linalg.norm(missed[1:] - missed[:-1], axis=1)[next_frame]
