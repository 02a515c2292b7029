"""Corner tracks, and one step of them: pyramidal Lucas-Kanade, checked backwards."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Grey = NDArray[np.uint8]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

WINDOW = 15
"""Px; side of the square around a corner that is looked for in the next frame."""
RETURN_WITHIN = 0.5
"""Px; a corner that does not come back this close to where it started is lost."""
LEAST_LINKS = 12
"""Corners that two frames must have in common before they count as joined."""
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
    joined: Ints | None = None
    """(frames - 1, 2) pairs of frames that hold all of them together, earlier first; None: each one and the next."""
    leaps: Bools | None = None
    """(frames - 1,) which of these are across missing frames or between views that were matched; None: none."""

    @property
    def links(self) -> Ints:
        """As `joined`."""
        each = np.arange(self.frames - 1)
        return np.stack([each, each + 1], axis=1) if self.joined is None else self.joined

    @property
    def leaping(self) -> Ints:
        """(L, 2) the links that leap."""
        return self.links[:0] if self.leaps is None else self.links[self.leaps]

    def at(self, frame: int) -> slice:
        """The sightings of one frame."""
        return slice(*np.searchsorted(self.frame, [frame, frame + 1]).tolist())

    def shared(self, first: int, second: int) -> tuple[Ints, Floats, Floats]:
        """Tracks seen in both frames, and where."""
        here, there = self.at(first), self.at(second)
        common, i, j = np.intersect1d(self.track[here], self.track[there], assume_unique=True, return_indices=True)
        return common, self.pixel[here][i], self.pixel[there][j]

    def only(self, sightings: Bools) -> Tracks:
        """The chosen sightings (M,), in as many frames."""
        return replace(self, frame=self.frame[sightings], track=self.track[sightings], pixel=self.pixel[sightings])

    def ends(self) -> Ints:
        """(frames,) the last frame to which each is joined by way of all those between."""
        return _last_of_runs(self.frames, self._far(self.links, wanted=False)[:, 0])

    def smooth_ends(self) -> Ints:
        """The same without leaps."""
        links = self.links if self.leaps is None else self.links[~self.leaps]
        return _last_of_runs(self.frames, self._far(links, wanted=False)[:, 0])

    def every(self, stride: int) -> Ints:
        """Frames 0, stride, 2 stride, ..., and those that hold the stretches together, for `in_frames`."""
        inner = np.unique(self.smooth_ends())[:-1]
        held = self._far(self.links, wanted=True).ravel()
        return np.unique(np.concatenate([np.arange(0, self.frames, stride), held, inner, inner + 1]))

    def in_frames(self, frames: Ints) -> Tracks:
        """The same corners in the frames that `every` chose, renumbered 0, 1, 2, ..."""
        kept = np.isin(self.frame, frames)
        near = np.flatnonzero(np.diff(self.ends()[frames]) == 0)
        far = self._far(self.links, wanted=True)
        links = np.concatenate([np.stack([near, near + 1], axis=1), np.searchsorted(frames, far)])
        leaps = np.concatenate([np.diff(self.smooth_ends()[frames])[near] != 0, np.ones(len(far), bool)])
        frame = np.searchsorted(frames, self.frame[kept])
        return Tracks(frame, self.track[kept], self.pixel[kept], len(frames), links, leaps)

    def _far(self, links: Ints, *, wanted: bool) -> Ints:
        """Those that are not between a frame and the next, or the others."""
        found: Ints = links[(links[:, 1] - links[:, 0] > 1) == wanted]
        return found


def _last_of_runs(count: int, joined_to_next: Ints) -> Ints:
    last = np.setdiff1d(np.arange(count), joined_to_next)
    found: Ints = last[np.searchsorted(last, np.arange(count))]
    return found


def step_shifted(
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
