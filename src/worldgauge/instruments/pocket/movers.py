"""Corners on things that move by themselves, found because the rest of the picture agrees better without them.

A thing that crosses the view while the camera advances looks like something near seen by a camera that steps aside.
Where the static scene is faint, that reading fits most corners passably, and consensus alone chooses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.lens import Lens
from worldgauge.functional.projection import rays
from worldgauge.instruments.pocket.corner_tracks import Tracks
from worldgauge.instruments.pocket.two_view import Step, fit_step, fit_turn, inverse_depths

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

WINDOWS = ((0.36, 0.5, 5, 3), (0.5, 0.7, 4, 2))
"""Parts of the frame that are left out: width and height as shares of the frame's, places across and down."""
LEAST_INSIDE = 6
"""Corners a window must hold,"""
LEAST_OUTSIDE = 36
"""and leave."""
BETTER = 0.8
"""A window holds a mover when the cost of the other corners falls below this share without it,"""
APART = 3.0
"""and its own corners then lie, in the median, this many times the others' parallax from where a static scene would
have them. Static corners that a wrong motion misplaces stay below once or twice the parallax."""
OFF = 1.5
"""Times the parallax, and at least three tolerances, by which a corner of such a window must be off to count."""
SHARP, BLUNT = 0.5, 1.5
"""Tolerances; width of the loss by which fits are compared, and the misfit from which on a corner is simply wrong."""


@dataclass(frozen=True, eq=False)
class Movers:
    """Two frames, and which of the corners they share are on something that moves."""

    first: int
    second: int
    tracks: NDArray[np.int64]


def find_movers(tracks: Tracks, first: int, second: int, step: Step, lens: Lens) -> Movers | None:
    """The corners without which the others agree clearly better on one step; None when there are no such corners."""
    shared, here, there = tracks.shared(first, second)
    before = misfits(here, there, step, lens)
    least, movers = BETTER, np.zeros(0, np.int64)
    for inside in _windows(here, lens):
        rest = fit_step(here[~inside], there[~inside], lens)
        if rest is None:
            continue
        after = misfits(here, there, rest, lens)
        share = _cost(after[~inside], lens) / _cost(before[~inside], lens)
        if share >= least:
            continue
        parallax = max(fit_turn(here[~inside], there[~inside], lens).residual, lens.tolerance)
        if np.median(after[inside]) > APART * parallax:
            off = after > max(OFF * parallax, 3 * lens.tolerance)
            least, movers = share, shared[inside & off]
    return Movers(first, second, movers) if len(movers) else None


def without_movers(tracks: Tracks, found: list[Movers], lens: Lens) -> Tracks:
    """The tracks less those on movers, and less those that stay among them."""
    if not found:
        return tracks
    among = np.zeros(len(tracks.frame), bool)
    for movers in found:
        for frame in range(movers.first, movers.second + 1):
            at = tracks.at(frame)
            on = np.isin(tracks.track[at], movers.tracks)
            among[at] |= on | _enclosed(tracks.pixel[at], tracks.pixel[at][on], lens)
    count = np.bincount(tracks.track)
    dropped = np.bincount(tracks.track, among, len(count)) > 0.5 * count
    dropped[np.concatenate([movers.tracks for movers in found])] = True
    return tracks.only(~dropped[tracks.track])


def misfits(here: Floats, there: Floats, step: Step, lens: Lens) -> Floats:
    """(K,) px between matches in the second frame and the nearest place a static point ahead could have moved to."""
    r = inverse_depths(here, there, step.rotation, step.direction, lens)
    ahead = (rays(here - np.asarray(lens.centre), lens.focal) - r[:, None] * step.direction) @ step.rotation
    seen = lens.focal * ahead[:, :2] / np.maximum(ahead[:, 2:], 1e-6) + np.asarray(lens.centre)
    distance = np.linalg.norm(seen - there, axis=1)
    return np.where(ahead[:, 2] > 0, np.minimum(distance, max(lens.size)), max(lens.size))


def _cost(distance: Floats, lens: Lens) -> float:
    return float(np.log1p((np.clip(distance / lens.tolerance, 0.01, BLUNT) / SHARP) ** 2).mean())


def _windows(pixel: Floats, lens: Lens) -> Iterator[Bools]:
    """For every window that holds and leaves enough of them the corners in it."""
    share = pixel / np.asarray(lens.size)
    for width, height, across, down in WINDOWS:
        for x in np.linspace(width / 2, 1 - width / 2, across):
            for y in np.linspace(height / 2, 1 - height / 2, down):
                inside = (np.abs(share - (x, y)) < (width / 2, height / 2)).all(axis=1)
                if inside.sum() >= LEAST_INSIDE and (~inside).sum() >= LEAST_OUTSIDE:
                    yield inside


def _enclosed(pixel: Floats, movers: Floats, lens: Lens) -> Bools:
    """Which corners lie among the movers of the same frame: inside their hull, a little widened."""
    import cv2

    if len(movers) < 3:
        return np.zeros(len(pixel), bool)
    width, height = lens.size
    mask = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(mask, cv2.convexHull(movers.astype(np.int32)), 1)
    margin = 2 * max(2, round(width / 100)) + 1
    mask = cv2.dilate(mask, np.ones((margin, margin), np.uint8))
    x, y = np.clip(pixel.astype(int), 0, np.array([width - 1, height - 1])).T
    return np.asarray(mask[y, x] > 0)
