"""Cameras that only turn, out of matched features: the rotations of all frames, adjusted together.

Structure from motion needs parallax, which such a clip does not have. What is left is easier: all points may be taken
as infinitely far, and the unknowns are three angles per frame and, where it is not given, one focal length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional import bundle
from worldgauge.functional.lens import Lens
from worldgauge.functional.projection import Freedom, Observations, State, distances
from worldgauge.instruments.pocket.poses import LENS_SIGMA, SURE_SIGHTINGS, LensSource, Trajectory
from worldgauge.instruments.pocket.solve import LENS_PRIOR
from worldgauge.instruments.pocket.two_view import fit_turn

Floats = NDArray[np.float64]
LEAST_MATCHES = 15
MOST_MATCHES = 80
"""Per pair of frames; of more, so many are taken."""
TURN_SHARE = 0.85
"""Share of the matches, from each frame to the farthest it was matched with, that turns alone must explain."""
FALSE_PAIR = 0.1
"""Share of the frame's width by which most matches of a pair are off where they are of two places that look alike."""
ROUNDS = 2
"""Of leaving out such pairs; each begins with the lens that the one before found."""


class Match(NamedTuple):
    """Features that two frames share."""

    first: int
    second: int
    """The later frame."""
    here: Floats
    """(K, 2) px in the first frame."""
    there: Floats
    """(K, 2) px in the second."""


@dataclass(frozen=True, eq=False)
class _Turned:
    """Frames that turn, and how far their matches are from it."""

    obs: Observations
    state: State
    focal_sigma: float

    def distances(self) -> Floats:
        return distances(self.obs, self.state)


def turning_path(matches: Sequence[Match], count: int, lens: Lens, *, given: bool) -> Trajectory | None:
    """The path of a camera that only turns; None where that does not explain the matches or does not join all frames.

    Without a `given` lens its focal length is adjusted along, beginning with that of `lens`.
    """
    joined = [_thinned(match) for match in matches if len(match.here) >= LEAST_MATCHES]
    source: LensSource = "given" if given else "estimated"
    start = lens
    for _ in range(ROUNDS):
        found = _adjusted(joined, count, start, free_lens=not given)
        if found is None:
            return None
        start = replace(lens, focal=found.state.focal)
        # Tiles and windows repeat: frames that share nothing are matched, too. A clip with parallax shows it in nearer
        # pairs as well, so it gains nothing by what is left out here.
        joined = _true_pairs(joined, found, lens)
    found = _adjusted(joined, count, start, free_lens=not given)
    if found is None:
        return None
    start = replace(lens, focal=found.state.focal)
    if _share_explained(found, start) < TURN_SHARE:
        return None
    if not given and found.focal_sigma > LENS_SIGMA:
        source, start = "assumed", lens
    found = _refined(found, start, free_lens=source == "estimated")
    return _as_trajectory(found, count, replace(lens, focal=found.state.focal), source)


def _thinned(match: Match) -> Match:
    if len(match.here) <= MOST_MATCHES:
        return match
    rows = np.linspace(0, len(match.here) - 1, MOST_MATCHES).round().astype(np.int64)
    return match._replace(here=match.here[rows], there=match.there[rows])


def _adjusted(matches: Sequence[Match], count: int, lens: Lens, *, free_lens: bool) -> _Turned | None:
    """All frames turned so that their matches agree best; None where some frame is joined with none."""
    rotation = _chained(matches, count, lens)
    if rotation is None:
        return None
    centre = np.asarray(lens.centre)
    sizes = [len(match.here) for match in matches]
    obs = Observations(
        anchor=np.repeat([match.first for match in matches], sizes),
        pixel=np.concatenate([match.here for match in matches]) - centre,
        point=np.arange(sum(sizes)),
        camera=np.repeat([match.second for match in matches], sizes),
        seen=np.concatenate([match.there for match in matches]) - centre,
    )
    state = State(rotation, np.zeros((count, 3)), np.zeros(sum(sizes)), lens.focal)
    return _fitted(obs, state, lens, free_lens=free_lens, width=1.0)


def _fitted(obs: Observations, state: State, lens: Lens, *, free_lens: bool, width: float) -> _Turned:
    freedom = Freedom(np.arange(len(state.rotation)) > 0, translation=False, focal=free_lens)
    prior = (lens.focal, LENS_PRIOR)
    found = bundle.adjust(
        obs, state, freedom, scale=width * lens.tolerance, iterations=15, focal_prior=prior if free_lens else None
    )
    return _Turned(obs, found.state, found.focal_sigma)


def _chained(matches: Sequence[Match], count: int, lens: Lens) -> Floats | None:
    """(N, 3, 3) orientations by turns from frame to frame, nearest ones first; None where some frame is not reached."""
    rotation = np.tile(np.eye(3), (count, 1, 1))
    placed = np.arange(count) == 0
    left = sorted(matches, key=lambda match: (match.second - match.first, match.first))
    while not placed.all():
        link = next((match for match in left if placed[match.first] != placed[match.second]), None)
        if link is None:
            return None
        turn = fit_turn(link.here, link.there, lens).rotation
        if placed[link.first]:
            rotation[link.second] = rotation[link.first] @ turn
        else:
            rotation[link.first] = rotation[link.second] @ turn.T
        placed[[link.first, link.second]] = True
    return rotation


def _true_pairs(matches: Sequence[Match], found: _Turned, lens: Lens) -> list[Match]:
    ends = np.cumsum([len(match.here) for match in matches])[:-1]
    off = np.split(found.distances(), ends)
    return [m for m, of_pair in zip(matches, off, strict=True) if np.median(of_pair) < FALSE_PAIR * max(lens.size)]


def _share_explained(found: _Turned, lens: Lens) -> float:
    """Of the matches from each frame to the farthest one it was matched with: near ones show little parallax anyway."""
    farthest = np.zeros(len(found.state.rotation), np.int64)
    anchor = found.obs.anchor[found.obs.point]
    np.maximum.at(farthest, anchor, found.obs.camera)
    wide = found.obs.camera == farthest[anchor]
    return float((found.distances()[wide] < 1.5 * lens.tolerance).mean())


def _refined(found: _Turned, lens: Lens, *, free_lens: bool) -> _Turned:
    """Adjusted again, stricter, by the matches that agree; all are reported on."""
    agree = found.obs.only(found.distances() < 3 * lens.tolerance)
    state = replace(found.state, focal=lens.focal, inverse_depth=np.zeros(len(agree.anchor)))
    strict = _fitted(agree, state, lens, free_lens=free_lens, width=0.3)
    whole = replace(strict.state, inverse_depth=found.state.inverse_depth)
    return _Turned(found.obs, whole, strict.focal_sigma)


def _as_trajectory(found: _Turned, count: int, lens: Lens, source: LensSource) -> Trajectory:
    off, obs = found.distances(), found.obs
    agree = off < 3 * lens.tolerance
    anchor = obs.anchor[obs.point]
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, :3, :3] = found.state.rotation[0].T @ found.state.rotation
    confidence, residual = np.zeros((2, count))
    for frame in range(count):
        own = (anchor == frame) | (obs.camera == frame)
        confidence[frame] = agree[own].mean() * min(1.0, agree[own].sum() / SURE_SIGHTINGS)
        residual[frame] = np.median(off[own])
    steps = agree & (obs.camera == anchor + 1)
    sightings = np.bincount(anchor[steps], minlength=count - 1).astype(np.float64)
    sums = np.bincount(anchor[steps], off[steps], minlength=count - 1)
    strays = sums / np.maximum(sightings, 1.0)
    return Trajectory(poses, lens, source, confidence, residual, strays, sightings, False, np.ones(count, bool))
