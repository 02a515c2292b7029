"""Corner tracks: pyramidal Lucas-Kanade from frame to frame, each step checked backwards."""

from __future__ import annotations

from collections.abc import Sequence
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


def follow_corners(greys: Sequence[Grey], most: int = 400, window: int = WINDOW) -> Tracks:
    """Track up to `most` corners at a time through grey frames (H, W); lost ones are replaced at once.

    `window` is the side of the square around a corner that is looked for, px.
    """
    pixel, velocity = np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32)
    track = np.zeros(0, np.int64)
    born = 0
    rows: list[tuple[int, Ints, Floats]] = []
    for index, grey in enumerate(greys):
        if index:
            moved, kept = step(greys[index - 1], grey, pixel, pixel + velocity, window)
            if kept.sum() < LEAST_FOLLOWED * len(kept):
                moved, kept = _leap(greys[index - 1], grey, pixel, (moved, kept), window)
            velocity = (moved - pixel)[kept]
            pixel, track = moved[kept], track[kept]
        fresh = new_corners(grey, pixel, most - len(pixel))
        # New corners start with the typical motion of their time; fast pans are beyond the search range without it.
        typical = np.median(velocity, axis=0) if len(velocity) else np.zeros(2, np.float32)
        pixel = np.concatenate([pixel, fresh])
        velocity = np.concatenate([velocity, np.tile(typical, (len(fresh), 1))]).astype(np.float32)
        track = np.concatenate([track, born + np.arange(len(fresh))])
        born += len(fresh)
        rows.append((index, track, pixel.astype(np.float64) + 0.5))
    return Tracks(
        np.concatenate([np.full(len(t), i) for i, t, _ in rows]), np.concatenate([t for _, t, _ in rows]),
        np.concatenate([p for *_, p in rows]), len(rows),
    )  # fmt: skip


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
