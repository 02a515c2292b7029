"""Loop closures: views that come back to something seen before, matched directly so that drift cannot grow."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.lens import Lens
from worldgauge.functional.normal_equations import MAX_INVERSE_DEPTH
from worldgauge.functional.projection import Observations, State, depths_ahead
from worldgauge.instruments.pocket.corner_tracks import Grey, Tracks
from worldgauge.instruments.pocket.matches import SiftMatches
from worldgauge.instruments.pocket.two_view import fit_step, fit_turn

Floats = NDArray[np.float64]

KEYFRAMES = 20
"""Views compared with each other."""
LEAST_AGREE = 20
"""Matches that must agree on one motion."""
LEAST_SHARE = 0.5
"""Share of the matches that must agree on it."""

NO_LOOPS = Observations(
    np.zeros(0, np.int64), np.zeros((0, 2)), np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 2))
)


def find_loops(greys: Sequence[Grey], tracks: Tracks, rotation: Floats, lens: Lens, *, turn_only: bool) -> Observations:
    """Matches of keyframes that no track joins and whose optical axes are close; each match is a point of its own."""
    keys = np.unique(np.linspace(0, len(greys) - 1, KEYFRAMES).astype(int)).tolist()
    matcher = SiftMatches()
    # Most pairs share tracks or look elsewhere: views are described when first asked for.
    features = cache(lambda k: matcher.features_of(greys[k]))
    half_view = np.arctan(max(lens.size) / 2 / lens.focal)
    found: list[tuple[int, int, Floats, Floats]] = []
    for i, j in combinations(keys, 2):
        cosine = float(rotation[i][:, 2] @ rotation[j][:, 2])
        if cosine < np.cos(1.2 * half_view) or len(tracks.shared(i, j)[0]) >= LEAST_AGREE:
            continue
        here, there = matcher.match_of(features(i), features(j))
        agree = one_motion(here, there, lens, turn_only=turn_only)
        if agree is not None:
            found.append((i, j, here[agree], there[agree]))
    return _as_observations(found, lens)


def one_motion(here: Floats, there: Floats, lens: Lens, *, turn_only: bool) -> NDArray[np.bool_] | None:
    """Which matches agree on one motion; None when too few do for the motion to be believed."""
    if len(here) < LEAST_AGREE:
        return None
    turn = fit_turn(here, there, lens)
    agree, share = turn.agree, turn.share
    if not turn_only and share < 0.8:
        step = fit_step(here, there, lens)
        if step is not None and step.share > share:
            agree, share = step.agree, step.share
    return agree if agree.sum() >= LEAST_AGREE and share >= LEAST_SHARE else None


def _as_observations(found: list[tuple[int, int, Floats, Floats]], lens: Lens) -> Observations:
    counts = [len(here) for _, _, here, _ in found]
    centre = np.asarray(lens.centre)
    nowhere = np.zeros((0, 2))
    return Observations(
        np.repeat([i for i, *_ in found], counts).astype(np.int64),
        np.concatenate([nowhere, *(here - centre for *_, here, _ in found)]),
        np.arange(sum(counts)),
        np.repeat([j for _, j, *_ in found], counts).astype(np.int64),
        np.concatenate([nowhere, *(there - centre for *_, there in found)]),
    )  # fmt: skip


def join_observations(first: Observations, second: Observations) -> Observations:
    """Both sets of points and observations."""
    return Observations(
        np.concatenate([first.anchor, second.anchor]), np.concatenate([first.pixel, second.pixel]),
        np.concatenate([first.point, second.point + len(first.anchor)]),
        np.concatenate([first.camera, second.camera]), np.concatenate([first.seen, second.seen]),
    )  # fmt: skip


def loop_depths(obs: Observations, state: State, loops: Observations) -> Floats:
    """(L,) first guesses for loop points: the inverse depth of the nearest tracked point in the same frame."""
    guess = np.ones(len(loops.anchor))
    for frame in np.unique(loops.anchor).tolist():
        owned, seen = np.flatnonzero(obs.anchor == frame), np.flatnonzero(obs.camera == frame)
        ahead = depths_ahead(obs, state)[seen]
        pixel = np.concatenate([obs.pixel[owned], obs.seen[seen]])
        depth = np.concatenate([state.inverse_depth[owned], state.inverse_depth[obs.point[seen]] / ahead])
        mine = np.flatnonzero(loops.anchor == frame)
        if len(pixel):
            squared = ((loops.pixel[mine][:, None] - pixel[None]) ** 2).sum(axis=2)
            guess[mine] = np.clip(depth[squared.argmin(axis=1)], 0.0, MAX_INVERSE_DEPTH)
    return guess
