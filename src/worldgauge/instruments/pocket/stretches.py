"""Corners followed through a clip in stretches: where one is lost another begins, and they grow together again.

A stretch that is lost waits at its last frame. When the camera comes back to what it saw there, it goes on, and the one
that was followed meanwhile joins it in the frame that both reach. So a frame lost in a fast turn costs itself alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from worldgauge.instruments.pocket.corner_tracks import (
    LEAST_LINKS,
    WINDOW,
    Grey,
    Tracks,
    new_corners,
    step,
    step_shifted,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Pixels = NDArray[np.float32]

LEAST_FOLLOWED = 0.5
"""Share of the corners that must be found again; else the picture may have moved too far to be followed."""
LEAST_SURVIVAL = 0.15
"""Share of the corners below which two frames do not count as joined; after a cut a few seem to be there, by chance."""
MOST_WAITING = 3
"""Stretches that are looked for in each frame,"""
LEAST_WAITING = 3
"""and the frames that one must have to wait on while another goes on, or to be matched at the end."""
MOST_MATCHED = 6
"""Stretches that are matched with the longest and what joins it,"""
VIEWS = 8
"""by so many views of each."""


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
    """Track corners through grey frames (H, W), lost ones replaced at once while there are less than `most`.

    `window` is the side of the square around a corner that is looked for, px; `times` are the frames' numbers in the
    clip, where some were left out; `bridge` may join frames that following cannot. A frame belongs to the oldest
    stretch that reaches it from its own last frame. What does not join the longest stretch is left out.
    """
    following = _Following(greys, most, window, np.arange(len(greys)) if times is None else times, bridge)
    for index in range(len(greys)):
        following.look(index)
    return following.followed()


@dataclass(frozen=True, eq=False)
class _Corners:
    """Corners in a frame, and how they moved there."""

    pixel: Pixels
    velocity: Pixels
    track: Ints
    leapt: bool = False
    """They were not just followed from one frame to the next."""


NONE = _Corners(np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32), np.zeros(0, np.int64))


@dataclass(eq=False)
class _Stretch:
    """Frames that are joined, and where the corners are in the last of them."""

    corners: _Corners = NONE
    seen: list[tuple[int, Ints, Pixels]] = field(default_factory=list)
    """Each frame's corners."""
    links: list[tuple[int, int, bool]] = field(default_factory=list)
    """Frames joined with each other, and whether by a leap."""

    @property
    def last(self) -> int:
        return self.seen[-1][0]

    def take(self, other: _Stretch) -> None:
        """Its frames and links; the link between the two is for the caller to add."""
        self.seen += other.seen
        self.links += other.links

    def add(self, k: int, tracks: Ints, pixels: Floats) -> None:
        """Further corners of the k-th frame, pixel centres at +0.5."""
        frame, before, places = self.seen[k]
        further = pixels.astype(np.float32) - 0.5
        self.seen[k] = frame, np.concatenate([before, tracks]), np.concatenate([places, further])


class _Following:
    """All stretches of a clip, and those that may still go on, oldest first."""

    def __init__(self, greys: Sequence[Grey], most: int, window: int, times: Ints, bridge: Bridge | None) -> None:
        self._greys, self._most, self._window, self._times, self._bridge = greys, most, window, times, bridge
        self._born = 0
        self._all: list[_Stretch] = []
        self._waiting: list[_Stretch] = []

    def look(self, index: int) -> None:
        """Go on into the next frame, or begin anew there."""
        reached = [(s, found) for s in self._waiting if (found := self._reached(s, index)) is not None]
        if not reached:
            self._begin(index)
            return
        stretch = reached[0][0]
        links = [(s.last, index, found.leapt) for s, found in reached]
        for other, _ in reached[1:]:
            stretch.take(other)
            self._all.remove(other)
            self._waiting.remove(other)
        stretch.links += links
        self._go_on(stretch, index, _together([found for _, found in reached]))
        self._waiting = [s for s in self._waiting if s is stretch or len(s.seen) >= LEAST_WAITING]

    def _begin(self, index: int) -> None:
        """A new stretch in a frame that has corners; of too many the shortest gives way, but not the newest."""
        corners = new_corners(self._greys[index], NONE.pixel, self._most)
        if len(corners) < LEAST_LINKS:
            return
        if len(self._waiting) >= MOST_WAITING:
            newest = max(s.last for s in self._waiting)
            self._waiting.remove(min((s for s in self._waiting if s.last < newest), key=lambda s: len(s.seen)))
        stretch = _Stretch()
        self._go_on(stretch, index, NONE, corners)
        self._all.append(stretch)
        self._waiting.append(stretch)

    def _reached(self, stretch: _Stretch, index: int) -> _Corners | None:
        """The corners of a stretch in a frame; None when too few are there."""
        before, grey = self._greys[stretch.last], self._greys[index]
        gap, corners = int(self._times[index] - self._times[stretch.last]), stretch.corners
        pixel = corners.pixel
        moved, kept = step(before, grey, pixel, pixel + gap * corners.velocity, self._window)
        if kept.sum() < LEAST_FOLLOWED * len(kept):
            moved, kept = step_shifted(before, grey, pixel, (moved, kept), self._window)
        if kept.sum() < max(LEAST_LINKS, LEAST_SURVIVAL * len(kept)):
            return None if self._bridge is None else self._matched(stretch, self._bridge(before, grey))
        return _Corners(moved[kept], ((moved - pixel)[kept] / gap).astype(np.float32), corners.track[kept], gap > 1)

    def _matched(self, stretch: _Stretch, matched: tuple[Floats, Floats] | None) -> _Corners | None:
        """Points that were matched with the last frame; they are new corners in both."""
        if matched is None:
            return None
        here, there = matched
        fresh = self._numbered(len(here))
        stretch.add(-1, fresh, here)
        pixel = there.astype(np.float32) - 0.5
        return _Corners(pixel, np.zeros_like(pixel), fresh, leapt=True)

    def _join(self, part: _Stretch, other: _Stretch) -> tuple[int, int, bool] | None:
        """A link between two stretches where most points of two views match; None where nothing does."""
        if self._bridge is None:
            return None
        found = {
            (i, j): matched
            for i in _spread(len(part.seen))
            for j in _spread(len(other.seen))
            if (matched := self._bridge(self._greys[part.seen[i][0]], self._greys[other.seen[j][0]])) is not None
        }
        if not found:
            return None
        (i, j), (here, there) = max(found.items(), key=lambda item: len(item[1][0]))
        fresh = self._numbered(len(here))
        part.add(i, fresh, here)
        other.add(j, fresh, there)
        first, last = sorted((part.seen[i][0], other.seen[j][0]))
        return first, last, True

    def _go_on(self, stretch: _Stretch, index: int, corners: _Corners, fresh: Pixels | None = None) -> None:
        if fresh is None:
            fresh = new_corners(self._greys[index], corners.pixel, self._most - len(corners.pixel))
        # New corners start with the typical motion of their time; fast pans are beyond the search range without it.
        typical = np.median(corners.velocity, axis=0) if len(corners.velocity) else np.zeros(2, np.float32)
        moving = np.tile(typical, (len(fresh), 1)).astype(np.float32)
        stretch.corners = _together([corners, _Corners(fresh, moving, self._numbered(len(fresh)))])
        stretch.seen.append((index, stretch.corners.track, stretch.corners.pixel))

    def _numbered(self, count: int) -> Ints:
        """Numbers for new corners."""
        self._born += count
        return np.arange(self._born - count, self._born)

    def followed(self) -> Followed:
        """The longest stretch, with those that show what it shows."""
        longest, *others = sorted(self._all, key=lambda s: -len(s.seen)) or [_Stretch()]
        left = [other for other in others if len(other.seen) >= LEAST_WAITING][:MOST_MATCHED]
        parts, links = [longest], []
        for part in parts:
            for other in list(left):
                link = self._join(part, other)
                if link is not None:
                    links.append(link)
                    parts.append(other)
                    left.remove(other)
        for part in parts[1:]:
            longest.take(part)
        links += longest.links
        seen = sorted(longest.seen, key=lambda row: row[0])
        frames = np.array([index for index, *_ in seen], np.int64)
        tracks = Tracks(
            np.concatenate([NONE.track, *(np.full(len(t), k) for k, (_, t, _) in enumerate(seen))]),
            np.concatenate([NONE.track, *(t for _, t, _ in seen)]),
            np.concatenate([np.zeros((0, 2)), *(p.astype(np.float64) + 0.5 for *_, p in seen)]), len(seen),
            np.searchsorted(frames, np.array([link[:2] for link in links], np.int64).reshape(-1, 2)),
            np.array([leapt for *_, leapt in links], bool),
        )  # fmt: skip
        return Followed(tracks, frames)


def _spread(count: int) -> list[int]:
    """Some of so many, the first and the last among them."""
    return sorted(set(np.linspace(0, count - 1, VIEWS).astype(int).tolist()))


def _together(corners: Sequence[_Corners]) -> _Corners:
    return _Corners(
        np.concatenate([c.pixel for c in corners]),
        np.concatenate([c.velocity for c in corners]),
        np.concatenate([c.track for c in corners]),
    )
