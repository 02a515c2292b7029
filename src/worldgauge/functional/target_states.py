"""The state of a target as far as pictures tell it: place, size and looks; and how two states differ.

Distances between states are in sizes of the target: one that stands its own size away is 1 off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.masks import Mask, box_of, same_place
from worldgauge.functional.stalled import carried_along
from worldgauge.functional.usable import behind_gaps, over_time

Floats = NDArray[np.float64]
SIDE = 8
"""Cells along each side of the picture kept of a target."""
OTHER_LOOKS = 60.0
"""8-bit levels of Lab; looks that differ by this count as much as being one's own size away."""
EXACT = 0.15
"""Target sizes; a state as close as this to the true one is the true one, as far as a track can tell."""
LEAST_CHANGE = 0.5
"""Target sizes; a process that changes less than this is asked to be as exact as one that changes this much."""

MOMENT = 2
"""Frames before and after that show a target of the same look."""


@dataclass(frozen=True, eq=False)
class States:
    """A target in N frames; NaN where it is not seen."""

    place: Floats
    """(N, 2) centre, frame heights."""
    size: Floats
    """(N,) square root of its area, frame heights."""
    looks: Floats
    """(N, SIDE, SIDE, 3) its picture, Lab in 8-bit levels."""

    @property
    def seen(self) -> NDArray[np.bool_]:
        return np.isfinite(self.size)

    def at(self, frames: NDArray[np.int64]) -> States:
        return States(self.place[frames], self.size[frames], self.looks[frames])


def state_of(frame: NDArray[np.uint8], mask: Mask) -> tuple[Floats, float, Floats]:
    """Place, size and looks of what a mask covers; all NaN for an empty mask."""
    import cv2

    box = box_of(mask)
    if box is None:
        return np.full(2, np.nan), float("nan"), np.full((SIDE, SIDE, 3), np.nan)
    x0, y0, x1, y1 = (round(side) for side in box)
    cut = np.s_[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)]
    lab = cv2.cvtColor(np.ascontiguousarray(frame[cut]), cv2.COLOR_RGB2LAB).astype(np.float32)
    looks = cv2.resize(lab, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    rows, columns = np.nonzero(mask)
    height = mask.shape[0]
    place = np.array([columns.mean() + 0.5, rows.mean() + 0.5]) / height
    return place, float(np.sqrt(len(rows))) / height, looks.astype(np.float64)


def colours_apart(ours: NDArray[np.uint8], theirs: NDArray[np.uint8], mask: Mask, true_mask: Mask) -> float:
    """Distance in Lab, 8-bit levels, of a target's mean colour in one picture from that in the other; NaN where one of
    them does not show it. Over the same pixels where both outlines are at one place: what one of them leaves out of the
    target has no other colour.
    """
    if not mask.any() or not true_mask.any():
        return float("nan")
    if same_place(mask, true_mask):
        mask = true_mask = mask | true_mask
    return float(np.linalg.norm(_mean_lab(ours, mask) - _mean_lab(theirs, true_mask)))


def _mean_lab(frame: NDArray[np.uint8], mask: Mask) -> Floats:
    import cv2

    lab = cv2.cvtColor(np.ascontiguousarray(frame[mask][None]), cv2.COLOR_RGB2LAB)[0]
    return np.asarray(lab.mean(axis=0, dtype=np.float64))


def distances(ours: States, theirs: States) -> Floats:
    """(N,) how far two states are apart, frame by frame; NaN where one is not seen."""
    place = np.linalg.norm(ours.place - theirs.place, axis=1) / theirs.size
    growth = np.log(ours.size / theirs.size)
    looks = np.sqrt(((_inner(ours.looks) - _inner(theirs.looks)) ** 2).mean((1, 2, 3))) / OTHER_LOOKS
    return np.asarray(np.sqrt(place**2 + growth**2 + looks**2))


def of_the_moment(values: Floats) -> Floats:
    """(N,) each number as most of the frames around it have it: the median of those within MOMENT frames, NaN apart.

    A track may take in a bystander for a frame or two, and light may flash; what a thing is like lasts longer.

    >>> of_the_moment(np.array([1.0, 9.0, 1.0, 1.0, np.nan])).tolist()
    [1.0, 1.0, 1.0, 1.0, nan]
    """
    padded = np.pad(np.asarray(values, np.float64), MOMENT, constant_values=np.nan)
    around = np.lib.stride_tricks.sliding_window_view(padded, 2 * MOMENT + 1)
    found = np.full(len(values), np.nan)
    known = np.isfinite(values)
    found[known] = np.nanmedian(around[known], axis=1)
    return found


def _inner(looks: Floats) -> Floats:
    """(N, 3, 3, 3) looks without the rim, which shows the surroundings too, in cells that a little blur spares."""
    inside = looks[:, 1:-1, 1:-1]
    half = inside.shape[1] // 2
    return np.asarray(inside.reshape(len(looks), half, 2, half, 2, 3).mean((2, 4)))


def stalled(theirs: States, shows: NDArray[np.int64], poses: Floats | None, lens: Floats | None) -> States:
    """The target with every frame showing the state of frame `shows` (N,), seen by a camera that goes on turning.

    `poses` (N, 4, 4) and `lens` (3, 3) in frame heights; without them the camera stands still too.
    """
    kept = theirs.at(shows)
    if poses is None or lens is None:
        return kept
    carried = [carried_along(theirs.place[k], poses[k], pose, lens) for k, pose in zip(shows, poses, strict=True)]
    return States(np.stack(carried), kept.size, kept.looks)


def evolution(apart: Floats, changed: Floats, used: NDArray[np.bool_] | None = None) -> float:
    """1 for the states the process truly went through, 0 for a process that stands still, or worse.

    `apart`: our states against the true ones, NaN where the target is lost, which earns nothing; `changed`: those of a
    process at a stand against the true ones. One less the ratio of their means, each less EXACT. Frames that are not
    `used` (N,) count as those around them in both: a stand earns nothing by hiding where the process changes most.

    >>> changed = np.array([1.0, 2.0])
    >>> [round(evolution(np.array(a), changed), 2) for a in ([0, 0], [0.5, 1], [1, 2], [0, np.nan])]
    [1.0, 0.56, 0.0, 0.5]
    """
    used = np.ones(len(apart), bool) if used is None else used
    change = _mean(np.maximum(0.0, changed - EXACT), used)
    asked = max(LEAST_CHANGE, change) if np.isfinite(change) else LEAST_CHANGE
    error = np.where(np.isfinite(apart), np.maximum(0.0, apart - EXACT), asked)
    return float(np.maximum(0.0, 1.0 - _mean(error, used) / asked))


def _mean(values: Floats, used: NDArray[np.bool_]) -> float:
    return over_time(behind_gaps(values, used), used)
