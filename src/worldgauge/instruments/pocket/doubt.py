"""Whether a camera path rests on one part of the picture, found by leaving out each part in turn.

Something that walks along and bears many of the corners bends the path a little the same way in every frame: all fits
are good, and nothing in them tells. But without that part of the picture the rest says something else.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.lens import Lens
from worldgauge.functional.pose import geodesic_deg
from worldgauge.instruments.pocket.corner_tracks import LEAST_LINKS, Tracks
from worldgauge.instruments.pocket.odometry import TIE_SHARE
from worldgauge.instruments.pocket.solve import Solution
from worldgauge.instruments.pocket.two_view import fit_step, fit_turn

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

PLACES = 12
"""Places of the clip that are looked at, spread evenly,"""
GAP = 2
"""and frames between the two compared there."""
PART = 0.34
"""Width of the part left out, as a share of the frame's,"""
PARTS = 6
"""and how many of them are tried."""
LEAST_INSIDE = 5
"""Corners in a part, below which leaving it out changes nothing worth knowing,"""
LEAST_OUTSIDE = 20
"""and corners that must be left."""
NOISE = 0.7
"""Degrees by which two frames alone miss the turn of a path that is right."""


def sway(tracks: Tracks, solution: Solution, moments: Ints, duration: int) -> Floats:
    """(P,) degrees by which the turn between two frames changes without a part of the picture: the median over parts.

    One number per place; 0 where too few corners tell. `moments` (F,) tells when in the clip of that `duration` the
    frames are: the same places are looked at, however many frames are missing.
    """
    static = _used(tracks, solution)
    return np.array([_sway_at(static, solution, first) for first in _places(tracks, moments, duration)])


def summed(of_places: Floats, duration: int) -> float:
    """Degrees over a clip of so many frames, noise taken off, if every frame sways as the place next to it."""
    return float(np.maximum(of_places - NOISE, 0.0).mean()) * duration / GAP if len(of_places) else 0.0


def torn(tracks: Tracks, solution: Solution) -> float:
    """Degrees by which two frames that a leap joins turn otherwise than the path has them: the most."""
    static, rotation = _used(tracks, solution), solution.state.rotation
    off = [0.0]
    for first, second in tracks.leaping.tolist():
        _, here, there = static.shared(first, second)
        if len(here) >= LEAST_LINKS:
            seen = _model(here, there, solution.lens, moves=solution.moves)(here, there)
            if seen is None:
                seen = fit_turn(here, there, solution.lens).rotation
            off.append(float(geodesic_deg(seen, rotation[first].T @ rotation[second])))
    return max(off)


def _places(tracks: Tracks, moments: Ints, duration: int) -> list[int]:
    """Frames, evenly spread over the clip. Where frames are missing, the nearest beside which none is, if that is not
    much farther: else a part of the clip that loses every third frame would not be looked at."""
    starts = np.arange(tracks.frames - GAP)
    if not len(starts):
        return []
    whole = tracks.smooth_ends()[starts] - starts >= GAP
    wanted = np.linspace(0, max(duration - 1 - GAP, 0), PLACES).astype(int)
    away = np.abs(moments[starts] - wanted[:, None]) + np.where(whole, 0, GAP + 0.5)
    chosen: list[int] = np.unique(away.argmin(axis=1)).tolist()
    return chosen


def _used(tracks: Tracks, solution: Solution) -> Tracks:
    """The tracks that the solution rests on: without those taken for movers already."""
    return tracks.only(np.isin(tracks.track, solution.track))


def _sway_at(tracks: Tracks, solution: Solution, first: int) -> float:
    second, lens, rotation = first + GAP, solution.lens, solution.state.rotation
    _, here, there = tracks.shared(first, second)
    if len(here) < LEAST_INSIDE + LEAST_OUTSIDE:
        return 0.0
    fit = _model(here, there, lens, moves=solution.moves)
    found = rotation[first].T @ rotation[second]
    changes = []
    for inside in _parts(here, lens):
        without = fit(here[~inside], there[~inside])
        if without is not None:
            changes.append(float(geodesic_deg(without, found)))
    return float(np.median(changes)) if changes else 0.0


def _model(here: Floats, there: Floats, lens: Lens, *, moves: bool) -> Callable[[Floats, Floats], Floats | None]:
    """How the turn between these two frames is measured: with a step, or alone where most corners follow it closely.

    A turn alone passes for a small step aside and is off by as much.
    """

    def turn(first: Floats, second: Floats) -> Floats:
        return fit_turn(first, second, lens).rotation

    def step(first: Floats, second: Floats) -> Floats | None:
        found = fit_step(first, second, lens)
        return None if found is None else found.rotation

    return step if moves and fit_turn(here, there, lens).close < TIE_SHARE else turn


def _parts(pixel: Floats, lens: Lens) -> list[Bools]:
    across = pixel[:, 0] / lens.size[0]
    parts = [np.abs(across - x) < PART / 2 for x in np.linspace(PART / 2, 1 - PART / 2, PARTS)]
    return [p for p in parts if p.sum() >= LEAST_INSIDE and (~p).sum() >= LEAST_OUTSIDE]
