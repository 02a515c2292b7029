"""Corner tracks: pyramidal Lucas-Kanade from frame to frame, each step checked backwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Grey = NDArray[np.uint8]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WINDOW = 15
"""Px; side of the square around a corner that is looked for in the next frame."""
RETURN_WITHIN = 0.5
"""Px; a corner that does not come back this close to where it started is lost."""
LEAST_FOLLOWED = 0.5
"""Share of the corners that must be found again; else the picture may have moved too far to be followed."""
LEAST_LINKS = 12
"""Corners that two frames must have in common before they count as joined,"""
LEAST_SURVIVAL = 0.15
"""and the share of the first one's corners that this must be; after a cut a few seem to be there, by chance."""
CORNER_QUALITY = 0.0003
"""Smallest corner response, as a share of the frame's strongest."""
LEAST_RESPONSE = 2e-6
"""Smallest corner response in absolute terms (grey levels in [0, 1]): below it lies sensor and codec noise."""


@dataclass(frozen=True, eq=False)
class Tracks:
    """Sightings of corners, ordered by frame. Pixel centres at +0.5."""

    frame: Ints
    """(M,)"""
    track: Ints
    """(M,) number of the corner."""
    pixel: Floats
    """(M, 2)"""
    frames: int
    """Frames of the clip."""

    def shared(self, first: int, second: int) -> tuple[Ints, Floats, Floats]:
        """Tracks seen in both frames, and where."""
        here, there = self.at(first), self.at(second)
        common, i, j = np.intersect1d(self.track[here], self.track[there], assume_unique=True, return_indices=True)
        return common, self.pixel[here][i], self.pixel[there][j]

    def every(self, stride: int) -> Tracks:
        """The same corners in frames 0, stride, 2 stride, ..., renumbered 0, 1, 2, ..."""
        kept = self.frame % stride == 0
        return Tracks(self.frame[kept] // stride, self.track[kept], self.pixel[kept], (self.frames - 1) // stride + 1)

    def at(self, frame: int) -> slice:
        """The sightings of one frame."""
        return slice(*np.searchsorted(self.frame, [frame, frame + 1]).tolist())


@dataclass(frozen=True, eq=False)
class Followed:
    """Corner tracks through those frames of a clip that could be joined."""

    tracks: Tracks
    """Frames renumbered 0, 1, 2, ..."""
    frames: Ints
    """(F,) which of the given frames they are."""


Bridge = Callable[[Grey, Grey], tuple[Floats, Floats] | None]
"""Matched pixels (K, 2) of two frames that are far apart; None where they show different things."""


def follow_corners(
    greys: Sequence[Grey],
    most: int = 400,
    window: int = WINDOW,
    times: Ints | None = None,
    bridge: Bridge | None = None,
) -> Followed:
    """Track up to `most` corners at a time through grey frames (H, W); lost ones are replaced at once.

    `window` is the side of the square around a corner that is looked for, px; `times` are the frames' numbers in the
    clip, where some were left out. A frame in which too few corners are found again is left out too, and the next one
    is looked at from the last frame that was kept; `bridge` may join frames that following cannot.
    """
    times = np.arange(len(greys)) if times is None else times
    walk = _Walk(most, window)
    for index, grey in enumerate(greys):
        if walk.last is None:
            walk.start(index, grey)
        else:
            before, gap = greys[walk.last], int(times[index] - times[walk.last])
            if not walk.follow(index, before, grey, gap) and bridge is not None:
                walk.jump(index, grey, bridge(before, grey))
    return walk.followed()


class _Walk:
    """Corners on their way from frame to frame."""

    def __init__(self, most: int, window: int) -> None:
        self.last: int | None = None
        self._most, self._window = most, window
        self._pixel, self._velocity = np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32)
        self._track = np.zeros(0, np.int64)
        self._born = 0
        self._rows: list[tuple[int, Ints, NDArray[np.float32]]] = []

    def start(self, index: int, grey: Grey) -> None:
        """Begin in a frame that has corners."""
        corners = new_corners(grey, self._pixel, self._most)
        if len(corners) >= LEAST_LINKS:
            self._go_on(index, grey, corners[:0], self._velocity, self._track, corners)

    def follow(self, index: int, before: Grey, grey: Grey, gap: int) -> bool:
        """Look for the corners in a frame `gap` frames on; False when too few are there."""
        pixel = self._pixel
        moved, kept = step(before, grey, pixel, pixel + gap * self._velocity, self._window)
        if kept.sum() < LEAST_FOLLOWED * len(kept):
            moved, kept = _leap(before, grey, pixel, (moved, kept), self._window)
        if kept.sum() < max(LEAST_LINKS, LEAST_SURVIVAL * len(kept)):
            return False
        self._go_on(index, grey, moved[kept], ((moved - pixel)[kept] / gap).astype(np.float32), self._track[kept])
        return True

    def jump(self, index: int, grey: Grey, matched: tuple[Floats, Floats] | None) -> None:
        """Go on in a frame by points that were matched with the last one; they are new corners in both."""
        if matched is None:
            return
        here, there = (points.astype(np.float32) - 0.5 for points in matched)
        fresh = self._born + np.arange(len(here))
        self._born += len(here)
        last, tracks, pixels = self._rows[-1]
        self._rows[-1] = last, np.concatenate([tracks, fresh]), np.concatenate([pixels, here])
        self._go_on(index, grey, there, np.zeros_like(there), fresh)

    def _go_on(
        self, index: int, grey: Grey, pixel: NDArray[np.float32], velocity: NDArray[np.float32], track: Ints,
        fresh: NDArray[np.float32] | None = None,
    ) -> None:  # fmt: skip
        if fresh is None:
            fresh = new_corners(grey, pixel, self._most - len(pixel))
        # New corners start with the typical motion of their time; fast pans are beyond the search range without it.
        typical = np.median(velocity, axis=0) if len(velocity) else np.zeros(2, np.float32)
        self._pixel = np.concatenate([pixel, fresh])
        self._velocity = np.concatenate([velocity, np.tile(typical, (len(fresh), 1))]).astype(np.float32)
        self._track = np.concatenate([track, self._born + np.arange(len(fresh))])
        self._born += len(fresh)
        self._rows.append((index, self._track, self._pixel))
        self.last = index

    def followed(self) -> Followed:
        rows = self._rows
        none = np.zeros(0, np.int64)
        tracks = Tracks(
            np.concatenate([none, *(np.full(len(t), k) for k, (_, t, _) in enumerate(rows))]),
            np.concatenate([none, *(t for _, t, _ in rows)]),
            np.concatenate([np.zeros((0, 2)), *(p.astype(np.float64) + 0.5 for *_, p in rows)]), len(rows),
        )  # fmt: skip
        return Followed(tracks, np.array([index for index, *_ in rows], np.int64))


def _leap(
    before: Grey, after: Grey, pixel: NDArray[np.float32], otherwise: tuple[NDArray[np.float32], NDArray[np.bool_]],
    window: int,
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:  # fmt: skip
    """Try again from the shift of the whole picture (phase correlation), for motions beyond the search range."""
    import cv2

    fade = cv2.createHanningWindow(before.shape[::-1], cv2.CV_32F)
    shift, _ = cv2.phaseCorrelate(before.astype(np.float32), after.astype(np.float32), fade)
    again = step(before, after, pixel, pixel + np.asarray(shift, np.float32), window)
    return again if again[1].sum() > otherwise[1].sum() else otherwise


def step(
    before: Grey, after: Grey, pixel: NDArray[np.float32], guess: NDArray[np.float32], window: int = WINDOW
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:  # fmt: skip
    """Where corners (K, 2) of one frame are in the next, and which of them are found again on the way back."""
    import cv2

    if not len(pixel):
        return pixel, np.zeros(0, bool)
    height, width = before.shape
    settings = {
        "winSize": (window, window), "maxLevel": max(0, int(np.log2(min(height, width) / 24))),
        "criteria": (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 20, 0.02),
        "flags": cv2.OPTFLOW_USE_INITIAL_FLOW, "minEigThreshold": 1e-4,
    }  # fmt: skip
    moved, found, _ = cv2.calcOpticalFlowPyrLK(before, after, pixel, guess.astype(np.float32).copy(), **settings)
    back, found_back, _ = cv2.calcOpticalFlowPyrLK(after, before, moved, (moved - (guess - pixel)).copy(), **settings)
    kept = (found.ravel() > 0) & (found_back.ravel() > 0)
    kept &= np.linalg.norm(back - pixel, axis=1) < RETURN_WITHIN
    kept &= (moved >= 1).all(axis=1) & (moved <= np.array([width - 2, height - 2])).all(axis=1)
    return moved, kept


def new_corners(grey: Grey, taken: NDArray[np.float32], most: int) -> NDArray[np.float32]:
    """Up to `most` further corners (K, 2), away from those already taken."""
    import cv2

    if most <= 0:
        return np.zeros((0, 2), np.float32)
    height, width = grey.shape
    spacing = max(4, round(np.sqrt(width * height / 1600)))
    mask = np.full((height, width), 255, np.uint8)
    for x, y in np.round(taken).astype(int):
        cv2.circle(mask, (int(x), int(y)), spacing, 0, -1)
    response = cv2.cornerMinEigenVal(grey.astype(np.float32) / 255.0, 5)
    floor = max(float(response.max()) * CORNER_QUALITY, LEAST_RESPONSE)
    peak = (response >= floor) & (mask > 0)
    peak &= response >= cv2.dilate(response, np.ones((2 * spacing + 1, 2 * spacing + 1), np.uint8))
    peak[:8], peak[-8:], peak[:, :8], peak[:, -8:] = False, False, False, False
    y, x = np.nonzero(peak)
    strongest = np.argsort(-response[y, x], kind="stable")[:most]
    corners = np.stack([x[strongest], y[strongest]], axis=1).astype(np.float32)
    if len(corners):
        cv2.cornerSubPix(grey, corners, (3, 3), (-1, -1), (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 10, 0.05))
    return corners
