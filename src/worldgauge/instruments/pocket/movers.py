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
from worldgauge.instruments.pocket.tracks import Tracks
from worldgauge.instruments.pocket.two_view import Step, fit_step, inverse_depths

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

WINDOW = (0.36, 0.5)
"""Width and height of the part of the frame that is left out, as shares of the frame's."""
PLACES = (5, 3)
"""Places such a window is tried at, across and down."""
LEAST_INSIDE = 6
LEAST_OUTSIDE = 36
"""Corners a window must hold and leave."""
BETTER = 0.75
"""A window holds a mover when the cost of the other corners falls below this share without it,"""
APART = 5.0
"""and its own corners then lie, in the median, this many tolerances from where a static scene would have them."""
SHARP = 0.5
"""Tolerances; width of the loss under which fits are compared."""


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
    best: tuple[float, NDArray[np.int64]] = BETTER, np.zeros(0, np.int64)
    for inside in _windows(here, lens):
        if inside.sum() < LEAST_INSIDE or (~inside).sum() < LEAST_OUTSIDE:
            continue
        rest = fit_step(here[~inside], there[~inside], lens)
        if rest is None:
            continue
        after = misfits(here, there, rest, lens)
        moving = inside & (after > APART * lens.tolerance)
        gain = _cost(after[~inside], lens) / max(_cost(before[~inside], lens), 1e-9)
        if gain < best[0] and np.median(after[inside]) > APART * lens.tolerance:
            best = gain, shared[moving]
    return Movers(first, second, best[1]) if len(best[1]) else None


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
    kept = ~dropped[tracks.track]
    return Tracks(tracks.frame[kept], tracks.track[kept], tracks.pixel[kept], tracks.frames)


def misfits(here: Floats, there: Floats, step: Step, lens: Lens) -> Floats:
    """(K,) px between matches in the second frame and the nearest place a static point ahead could have moved to."""
    r = inverse_depths(here, there, step.rotation, step.direction, lens)
    ahead = (rays(here - np.asarray(lens.centre), lens.focal) - r[:, None] * step.direction) @ step.rotation
    seen = lens.focal * ahead[:, :2] / np.maximum(ahead[:, 2:], 1e-6) + np.asarray(lens.centre)
    distance = np.linalg.norm(seen - there, axis=1)
    return np.where(ahead[:, 2] > 0, np.minimum(distance, max(lens.size)), max(lens.size))


def _cost(distance: Floats, lens: Lens) -> float:
    return float(np.log1p((distance / (SHARP * lens.tolerance)) ** 2).mean())


def _windows(pixel: Floats, lens: Lens) -> Iterator[Bools]:
    """For every window the corners in it."""
    share = pixel / np.asarray(lens.size)
    for x in np.linspace(WINDOW[0] / 2, 1 - WINDOW[0] / 2, PLACES[0]):
        for y in np.linspace(WINDOW[1] / 2, 1 - WINDOW[1] / 2, PLACES[1]):
            yield (np.abs(share - (x, y)) < np.asarray(WINDOW) / 2).all(axis=1)


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
