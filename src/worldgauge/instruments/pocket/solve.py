"""From tracks to a camera path: explain the clip by turning and by moving, choose by evidence, close loops, refine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional import bundle
from worldgauge.functional.lens import Lens
from worldgauge.functional.projection import Freedom, Observations, State, distances
from worldgauge.instruments.pocket.corner_tracks import Grey, Tracks
from worldgauge.instruments.pocket.loops import NO_LOOPS, find_loops, join_observations, loop_depths
from worldgauge.instruments.pocket.movers import find_movers, without_movers
from worldgauge.instruments.pocket.odometry import Seed, find_seeds, find_ties, grow_map, observe
from worldgauge.instruments.pocket.turns import Turns, joined_turns, turned_rotations

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STEP_GAIN = 0.08
"""Share of all sightings that only a moving camera explains; below it the camera is said to turn in place."""
SEEDS = 2
"""Maps tried, until one explains the clip well."""
SEEDS_LOOKED_AT = 3
"""Pairs of frames searched for things that move by themselves."""
WELL_EXPLAINED = 0.8
"""Share of the sightings that are explained by a map not worth growing again."""
NO_TIES = np.zeros((0, 2), np.int64)
LENS_PRIOR = 0.35
"""Standard deviation of the logarithm of the focal length around the assumed one."""


@dataclass(frozen=True, eq=False)
class Solution:
    """Observations and the cameras and points that explain them."""

    obs: Observations
    track: Ints
    """(P,) track of each point; -1 for points of loop closures."""
    state: State
    lens: Lens
    moves: bool
    ties: Ints
    """(T, 2) frames between which the camera only turns."""
    focal_sigma: float = 0.0

    def distances(self) -> Floats:
        """(M,) px between sightings and predictions."""
        return distances(self.obs, self.state)

    def explained(self) -> float:
        """Share of the sightings within 1.5 tolerances of their prediction."""
        return float((self.distances() < 1.5 * self.lens.tolerance).mean())


def solve(tracks: Tracks, greys: Sequence[Grey], lens: Lens, *, free_lens: bool) -> Solution:
    """The path that explains the tracks; `free_lens` lets the focal length be adjusted with it."""
    tracks, seeds = _static(tracks, lens)
    turns = joined_turns(tracks, lens)
    turning = _turning(tracks, turns, lens, free_lens)
    moving = _moving(tracks, seeds, turns, lens, free_lens)
    moves = moving is not None and moving.explained() - turning.explained() > STEP_GAIN
    chosen = moving if moving is not None and moves else turning
    loops = find_loops(greys, tracks, chosen.state.rotation, chosen.lens, turn_only=not moves)
    return _refine(chosen, loops, free_lens)


def refit(solution: Solution, lens: Lens) -> Solution:
    """The solution adjusted to another lens, which then stays fixed."""
    moved = replace(solution, lens=lens, state=replace(solution.state, focal=lens.focal))
    return _refine(moved, NO_LOOPS, free_lens=False)


def _adjust(
    solution: Solution, free: NDArray[np.bool_], free_lens: bool, scale: float, iterations: int, prior: float = 0.3
) -> Solution:
    freedom = Freedom(free, translation=solution.moves, focal=free_lens, ties=solution.ties)
    found = bundle.adjust(
        solution.obs, solution.state, freedom, scale=scale * solution.lens.tolerance, iterations=iterations,
        prior=prior, focal_prior=(solution.lens.focal, LENS_PRIOR),
    )  # fmt: skip
    return replace(solution, state=found.state, focal_sigma=found.focal_sigma)


def _settled(solution: Solution) -> Solution:
    """The lens as adjusted."""
    return replace(solution, lens=replace(solution.lens, focal=solution.state.focal))


def _turning(tracks: Tracks, turns: Turns, lens: Lens, free_lens: bool) -> Solution:
    """The clip explained by a camera that only turns."""
    count = tracks.frames
    obs, track = observe(tracks, np.arange(count), lens)
    start = State(turned_rotations(tracks, turns), np.zeros((count, 3)), np.zeros(len(obs.anchor)), lens.focal)
    return _adjust(Solution(obs, track, start, lens, False, NO_TIES), np.arange(count) > 0, free_lens, 1.0, 10)


def _moving(tracks: Tracks, seeds: list[Seed], turns: Turns, lens: Lens, free_lens: bool) -> Solution | None:
    """The clip explained by a camera that moves; None when nothing shows parallax or some frame finds no place.

    A map can go wrong where the view changes fast; growing it from another seed then tells.
    """
    best: Solution | None = None
    ties = find_ties(tracks, lens)
    for seed in seeds[:SEEDS]:
        grown = grow_map(tracks, lens, seed, turns, ties)
        if not grown.placed.all():
            continue
        start = Solution(grown.obs, grown.track, grown.state(), lens, True, ties)
        found = _adjust(start, np.arange(tracks.frames) != seed.first, free_lens, 1.0, 10)
        if best is None or found.explained() > best.explained():
            best = found
        if best.explained() > WELL_EXPLAINED:
            break
    return best


def _static(tracks: Tracks, lens: Lens) -> tuple[Tracks, list[Seed]]:
    """The tracks less those on things that move by themselves, and pairs of frames to start a map from."""
    seeds = find_seeds(tracks, lens)
    found = [find_movers(tracks, seed.first, seed.second, seed.step, lens) for seed in seeds[:SEEDS_LOOKED_AT]]
    movers = [each for each in found if each is not None]
    if not movers:
        return tracks, seeds
    static = without_movers(tracks, movers, lens)
    return static, find_seeds(static, lens)


def _refine(solution: Solution, loops: Observations, free_lens: bool) -> Solution:
    """Adjust everything with the loop closures, then again, stricter, without the points that do not fit."""
    state, tolerance = solution.state, solution.lens.tolerance
    guess = loop_depths(solution.obs, state, loops)
    joined = replace(
        solution, obs=join_observations(solution.obs, loops),
        track=np.concatenate([solution.track, np.full(len(guess), -1)]),
        state=replace(state, inverse_depth=np.concatenate([state.inverse_depth, guess])),
    )  # fmt: skip
    free = np.arange(len(state.rotation)) > 0
    if len(guess):
        open_by = np.median(distances(loops, replace(state, inverse_depth=guess)))
        # A loop that does not close yet would be taken for an outlier: widen the loss first.
        for widen in (16.0, 4.0) if open_by > 3 * tolerance else ():
            joined = _adjust(joined, free, free_lens, widen, 8)
    joined = _adjust(joined, free, free_lens, 1.0, 8)
    fits = _fitting_points(joined.obs, joined.distances(), 2 * tolerance)
    strict = replace(
        joined, obs=joined.obs.only(fits[joined.obs.point]), track=joined.track[fits],
        state=replace(joined.state, inverse_depth=joined.state.inverse_depth[fits]),
    )  # fmt: skip
    strict = _adjust(strict, free, free_lens, 0.3, 15, prior=0.1)
    # Report on all points: those left out for the last adjustment keep the depth they had.
    depth = joined.state.inverse_depth.copy()
    depth[fits] = strict.state.inverse_depth
    final = replace(joined, state=replace(strict.state, inverse_depth=depth), focal_sigma=strict.focal_sigma)
    return _settled(final)


def _fitting_points(obs: Observations, distance: Floats, limit: float) -> NDArray[np.bool_]:
    """(P,) whether a point's observations lie, on average, nearer than `limit` px to their predictions."""
    capped = np.minimum(distance, 4 * limit)
    return np.asarray(np.bincount(obs.point, capped, len(obs.anchor)) / np.bincount(obs.point) < limit)
