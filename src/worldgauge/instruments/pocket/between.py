"""Frames of a long clip between those that were adjusted together: each placed by the corners it shares with them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional import bundle
from worldgauge.functional.projection import Freedom, Observations, State
from worldgauge.instruments.pocket.corner_tracks import Tracks
from worldgauge.instruments.pocket.solve import Solution

BLOCK = 40
"""Frames placed in one adjustment."""


def place_between(solution: Solution, tracks: Tracks, placed: NDArray[np.int64]) -> Solution:
    """The solution for all frames of `tracks`, given one for some, the first among them."""
    state = _interpolate(solution.state, placed, tracks.frames)
    obs = _observe_all(solution, tracks, placed)
    between = np.setdiff1d(np.arange(tracks.frames), placed)
    for start in range(0, len(between), BLOCK):
        state = _place(obs, state, between[start : start + BLOCK], solution)
    return replace(solution, obs=obs, state=state)


def _observe_all(solution: Solution, tracks: Tracks, placed: NDArray[np.int64]) -> Observations:
    """The solution's points with the sightings of every frame."""
    anchor = placed[solution.obs.anchor]
    point_of = np.full(int(tracks.track.max()) + 1, -1)
    tracked = solution.track >= 0
    point_of[solution.track[tracked]] = np.flatnonzero(tracked)
    point = point_of[tracks.track]
    kept = point >= 0
    kept &= tracks.frame != anchor[point]
    centre = np.asarray(solution.lens.centre)
    # Points of loop closures have no track; they keep the sightings they came with.
    loose = ~tracked[solution.obs.point]
    return Observations(
        anchor, solution.obs.pixel,
        np.concatenate([point[kept], solution.obs.point[loose]]),
        np.concatenate([tracks.frame[kept], placed[solution.obs.camera[loose]]]),
        np.concatenate([tracks.pixel[kept] - centre, solution.obs.seen[loose]]),
    )  # fmt: skip


def _interpolate(state: State, placed: NDArray[np.int64], count: int) -> State:
    from scipy.spatial.transform import Rotation, Slerp

    frames = np.arange(count)
    rotation = Slerp(placed, Rotation.from_matrix(state.rotation))(np.minimum(frames, placed[-1])).as_matrix()
    centre = np.stack([np.interp(frames, placed, state.centre[:, axis]) for axis in range(3)], axis=1)
    return State(rotation, centre, state.inverse_depth, state.focal)


def _place(obs: Observations, state: State, frames: NDArray[np.int64], solution: Solution) -> State:
    chosen = np.isin(obs.camera, frames)
    if not chosen.any():
        return state
    points = np.unique(obs.point[chosen])
    local = obs.only(chosen)
    used = np.unique(np.concatenate([local.anchor, local.camera]))
    number = np.zeros(len(state.rotation), np.int64)
    number[used] = np.arange(len(used))
    local = Observations(number[local.anchor], local.pixel, local.point, number[local.camera], local.seen)
    start = State(state.rotation[used], state.centre[used], state.inverse_depth[points], state.focal)
    freedom = Freedom(np.isin(used, frames), translation=solution.moves)
    # Wide loss first: interpolation can be far off where the camera speeds up.
    for scale in (8.0, 1.0):
        found = bundle.adjust(local, start, freedom, scale=scale * solution.lens.tolerance, iterations=8, prior=3.0)
        start = replace(found.state, inverse_depth=state.inverse_depth[points])
    rotation, centre = state.rotation.copy(), state.centre.copy()
    rotation[used], centre[used] = start.rotation, start.centre
    return replace(state, rotation=rotation, centre=centre)
