"""A map that grows frame by frame from corner tracks, each stretch adjusted together with what is already there."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional import bundle
from worldgauge.functional.lens import Lens
from worldgauge.functional.pose import geodesic_deg
from worldgauge.functional.projection import Freedom, Observations, State, distances, rays
from worldgauge.instruments.pocket.corner_tracks import LEAST_LINKS, Tracks
from worldgauge.instruments.pocket.turns import Turns, routes, turned_along
from worldgauge.instruments.pocket.two_view import Step, fit_step, fit_turn, poselib_camera

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

STRETCH = 4
"""Frames added between adjustments."""
WINDOW = 12
"""Frames adjusted together while growing."""
LEAST_SHARE = 0.4
"""Share of the tracks in a frame that must agree before it counts as placed."""
TIE_GAP = 4
"""Frames over which a fast turn is looked at,"""
TIE_TURN = 4.0
"""how many degrees it must turn,"""
TIE_SHARE = 0.65
"""and the share of tracks that must follow it within half a tolerance for the camera to stand in one place."""
PARALLAX = 0.02
"""Share of the frame's width by which tracks must leave the best pure turn before a step can be measured."""


@dataclass(frozen=True, eq=False)
class Seed:
    """Two frames with enough parallax to start a map."""

    first: int
    second: int
    tracks: NDArray[np.int64]
    step: Step
    score: float


@dataclass(eq=False)
class Map:
    """The state of the growth: which frames are placed, and where."""

    obs: Observations
    track: NDArray[np.int64]
    """(P,) track of each point."""
    lens: Lens
    rotation: Floats
    centre: Floats
    inverse_depth: Floats
    placed: Bools
    known: Bools
    """Points whose depth has been adjusted at least once."""
    ties: NDArray[np.int64]
    """(T, 2) frames between which the camera only turns."""

    def state(self) -> State:
        return State(self.rotation, self.centre, self.inverse_depth, self.lens.focal)


def find_ties(tracks: Tracks, lens: Lens) -> NDArray[np.int64]:
    """(T, 2) consecutive frames of fast turns without parallax: the camera stands in one place.

    Elsewhere the adjustment decides: a slow motion shows no parallax either from one frame to the next.
    """
    tied: set[int] = set()
    ends = tracks.ends()
    for first in np.flatnonzero(ends - np.arange(tracks.frames) >= TIE_GAP).tolist():
        _, here, there = tracks.shared(first, first + TIE_GAP)
        if len(here) < 2 * LEAST_LINKS:
            continue
        turn = fit_turn(here, there, lens)
        if turn.close > TIE_SHARE and geodesic_deg(turn.rotation, np.eye(3)) > TIE_TURN:
            tied |= set(range(first, first + TIE_GAP))
    return np.array([(i, i + 1) for i in sorted(tied)], np.int64).reshape(-1, 2)


def find_seeds(tracks: Tracks, lens: Lens, starts: int = 8) -> list[Seed]:
    """Pairs of frames that show a step, best first: many shared tracks, wide parallax, most of them in agreement."""
    firsts = np.unique(np.linspace(0, tracks.frames - 2, starts).astype(int)).tolist()
    ends = tracks.ends()
    seeds = [_seed_from(tracks, lens, first, int(ends[first])) for first in firsts]
    return sorted((seed for seed in seeds if seed is not None), key=lambda seed: -seed.score)


def _seed_from(tracks: Tracks, lens: Lens, first: int, end: int) -> Seed | None:
    best: Seed | None = None
    gap = 2
    while first + gap <= end and gap <= 48:
        second = first + gap
        gap = max(gap + 1, int(gap * 1.5))
        shared, here, there = tracks.shared(first, second)
        if len(shared) < 3 * LEAST_LINKS:
            break
        turn = fit_turn(here, there, lens)
        if turn.residual < PARALLAX * lens.size[0] and turn.share > 0.7:
            continue
        step = fit_step(here, there, lens)
        if step is None or step.share < 0.5 or step.share < turn.share:
            continue
        parallax = min(turn.residual / (PARALLAX * lens.size[0]), 4.0)
        score = float(step.agree.sum()) * step.share * parallax
        if best is None or score > best.score:
            best = Seed(first, second, shared, step, score)
    return best


def observe(tracks: Tracks, rank: NDArray[np.int64], lens: Lens) -> tuple[Observations, NDArray[np.int64]]:
    """Points anchored in the sighting whose frame comes first in `rank`, and the track of each point."""
    order = np.lexsort((rank[tracks.frame], tracks.track))
    track, frame = tracks.track[order], tracks.frame[order]
    pixel = tracks.pixel[order] - np.asarray(lens.centre)
    start = np.diff(track, prepend=-1) != 0
    point = np.cumsum(start) - 1
    obs = Observations(frame[start], pixel[start], point[~start], frame[~start], pixel[~start])
    again = np.unique(obs.point)
    return obs.only(np.ones(len(obs.point), bool)), track[start][again]


def grow_map(tracks: Tracks, lens: Lens, seed: Seed, turns: Turns, ties: NDArray[np.int64]) -> Map:
    """Place every frame that can be placed, outwards from the seed."""
    count = tracks.frames
    ways = routes(tracks.links, seed.first, seed.second)
    rank = np.zeros(count, np.int64)
    rank[[*range(seed.first, seed.second + 1), *chain.from_iterable(way[1:] for way in ways)]] = np.arange(count)
    obs, track = observe(tracks, rank, lens)
    grown = Map(
        obs, track, lens, np.tile(np.eye(3), (count, 1, 1)), np.zeros((count, 3)), np.ones(len(obs.anchor)),
        np.zeros(count, bool), np.zeros(len(obs.anchor), bool), ties,
    )  # fmt: skip
    _plant(grown, seed, turns)
    leaps = set(map(tuple, tracks.leaping.tolist()))
    for way in ways:
        if grown.placed[way[0]]:
            _extend(grown, way, turns, [tuple(sorted(pair)) in leaps for pair in pairwise(way)])
    return grown


def _plant(grown: Map, seed: Seed, turns: Turns) -> None:
    """Place the frames of the seed: step scaled to typical depth 1, centres between the two on a straight line."""
    from scipy.spatial.transform import Rotation, Slerp

    agree = seed.step.agree
    typical = max(float(np.median(seed.step.inverse_depth[agree])), 1e-3)
    between = np.arange(seed.first, seed.second + 1)
    chained = turned_along(turns, between.tolist())
    # Spread what the chain of pure turns misses evenly over the frames.
    missing = Rotation.from_matrix(np.stack([np.eye(3), seed.step.rotation @ chained[-1].T]))
    share = (between - seed.first) / (seed.second - seed.first)
    grown.rotation[between] = Slerp([0.0, 1.0], missing)(share).as_matrix() @ chained
    grown.centre[between] = share[:, None] * seed.step.direction * typical
    grown.placed[between] = True
    of_track = dict(zip(grown.track.tolist(), range(len(grown.track)), strict=True))
    for number, r, fine in zip(seed.tracks.tolist(), seed.step.inverse_depth, agree, strict=True):
        if fine and number in of_track and grown.obs.anchor[of_track[number]] == seed.first:
            grown.inverse_depth[of_track[number]] = r / typical
            grown.known[of_track[number]] = True
    _adjust_window(grown, between, iterations=15)


def _extend(grown: Map, frames: list[int], turns: Turns, leaps: list[bool]) -> None:
    """Walk along `frames`, the first of which is placed; stop at the first that cannot be.

    `leaps` tells after which ones the way leaps.
    """
    pending = 0
    for index, (previous, frame) in enumerate(pairwise(frames), start=1):
        turn = turns[previous, frame]
        placed = _place(grown, previous, frame, turn, 4 * LEAST_LINKS)
        if not placed and pending:
            # The newest corners have no depth yet; in a fast turn they are most of what the frames share.
            _adjust_window(grown, np.array(frames[max(0, index - WINDOW) : index]))
            pending = 0
        if not placed and not _place(grown, previous, frame, turn, LEAST_LINKS):
            if not any(leaps[max(0, index - STRETCH) : index]):
                break
            # Since the leap all corners are new.
            grown.rotation[frame], grown.centre[frame] = grown.rotation[previous] @ turn, grown.centre[previous]
            grown.placed[frame] = True
        pending += 1
        if pending == STRETCH or frame == frames[-1]:
            _adjust_window(grown, np.array(frames[max(0, index - WINDOW + 1) : index + 1]))
            if not _supported(grown, frame):
                grown.placed[frames[index - pending + 1 : index + 1]] = False
                break
            pending = 0


def _place(grown: Map, previous: int, frame: int, turn: Floats, least: int) -> bool:
    """Try a few poses for a frame and keep the one its tracks like best; False when fewer than `least` tracks tell."""
    obs = grown.obs
    chosen = (obs.camera == frame) & grown.placed[obs.anchor[obs.point]] & grown.known[obs.point]
    if chosen.sum() < least:
        return False
    mine = obs.only(chosen)
    points = np.unique(obs.point[chosen])
    turned = grown.rotation[previous] @ turn
    velocity = np.zeros(3)
    other = 2 * previous - frame
    if 0 <= other < len(grown.placed) and grown.placed[other]:
        velocity = grown.centre[previous] - grown.centre[other]
    options = [(turned, grown.centre[previous]), (turned, grown.centre[previous] + velocity)]
    options += _resect(grown, mine, points)
    costs = []
    for rotation, centre in options:
        grown.rotation[frame], grown.centre[frame] = rotation, centre
        state = State(grown.rotation, grown.centre, grown.inverse_depth[points], grown.lens.focal)
        costs.append(bundle.robust_cost(distances(mine, state), 2 * grown.lens.tolerance))
    grown.rotation[frame], grown.centre[frame] = options[int(np.argmin(costs))]
    grown.placed[frame] = True
    return True


def _resect(grown: Map, mine: Observations, points: NDArray[np.int64]) -> list[tuple[Floats, Floats]]:
    """Pose from the known points by consensus (P3P), where enough of them have a depth."""
    import poselib

    depth = grown.inverse_depth[points][mine.point]
    near = depth > 0.02
    if near.sum() < LEAST_LINKS:
        return []
    anchor = mine.anchor[mine.point]
    ray = rays(mine.pixel, grown.lens.focal)[mine.point] / np.maximum(depth, 0.02)[:, None]
    world = grown.centre[anchor] + np.einsum("mij,mj->mi", grown.rotation[anchor], ray)
    found, info = poselib.estimate_absolute_pose(
        mine.seen[near] + np.asarray(grown.lens.centre), world[near], poselib_camera(grown.lens),
        {"max_reproj_error": 3 * grown.lens.tolerance, "max_iterations": 500, "min_iterations": 50}, {},
    )  # fmt: skip
    if info["num_inliers"] < LEAST_LINKS:
        return []
    return [(found.R.T, -found.R.T @ found.t)]


def _supported(grown: Map, frame: int) -> bool:
    """Whether enough tracks agree with where a frame was put."""
    obs = grown.obs
    chosen = (obs.camera == frame) & grown.placed[obs.anchor[obs.point]]
    if not chosen.any():
        return False
    points = np.unique(obs.point[chosen])
    state = State(grown.rotation, grown.centre, grown.inverse_depth[points], grown.lens.focal)
    close = distances(obs.only(chosen), state) < 3 * grown.lens.tolerance
    return bool(close.sum() >= LEAST_LINKS and close.mean() >= LEAST_SHARE)


def _adjust_window(grown: Map, frames: NDArray[np.int64], iterations: int = 8) -> None:
    """Adjust some frames and the points they see; frames outside hold still."""
    obs = grown.obs
    inside = np.zeros(len(grown.placed), bool)
    inside[frames] = True
    owner = obs.anchor[obs.point]
    chosen = grown.placed[obs.camera] & grown.placed[owner] & (inside[obs.camera] | inside[owner])
    points = np.unique(obs.point[chosen])
    _guess_depths(grown, points, int(frames[0]))
    local = obs.only(chosen)
    used = np.unique(np.concatenate([local.anchor, local.camera]))
    number = np.zeros(len(grown.placed), np.int64)
    number[used] = np.arange(len(used))
    local = Observations(number[local.anchor], local.pixel, local.point, number[local.camera], local.seen)
    free = inside[used]
    if free.all():
        free[number[frames[0]]] = False
    start = State(grown.rotation[used], grown.centre[used], grown.inverse_depth[points], grown.lens.focal)
    tied = grown.ties[np.isin(grown.ties, used).all(axis=1)]
    freedom = Freedom(free, ties=number[tied])
    found = bundle.adjust(local, start, freedom, scale=grown.lens.tolerance, iterations=iterations).state
    grown.rotation[used], grown.centre[used] = found.rotation, found.centre
    grown.inverse_depth[points] = found.inverse_depth
    grown.known[points] = True


def _guess_depths(grown: Map, points: NDArray[np.int64], frame: int) -> None:
    """New points start at the typical depth of the known ones around them in time."""
    fresh, old = points[~grown.known[points]], points[grown.known[points]]
    if len(fresh) and len(old):
        anchor, r = grown.obs.anchor[old], grown.inverse_depth[old]
        world = np.einsum("pij,pj->pi", grown.rotation[anchor], rays(grown.obs.pixel[old], grown.lens.focal))
        world += r[:, None] * (grown.centre[anchor] - grown.centre[frame])
        ahead = world @ grown.rotation[frame][:, 2]
        seen = ahead > 0.05
        if seen.any():
            grown.inverse_depth[fresh] = np.clip(np.median(r[seen] / ahead[seen]), 0.05, 10.0)
