"""Point matches between frames of a clip: near ones, and views the camera came back to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.clip import Clip
from worldgauge.core.errors import InvalidVideo, Unscored
from worldgauge.core.frames import FrameSpec
from worldgauge.core.signal import Arrays, signal
from worldgauge.core.stacks import InStacks, in_stacks
from worldgauge.functional.pose import geodesic_deg
from worldgauge.signals.poses import poses

Floats = NDArray[np.float64]
Pairs = list[tuple[int, int]]
LIMITED = FrameSpec().within(640)


class MatchInstrument(InStacks, Protocol):
    """What the seat `matches` offers: stacks in, stacks out."""

    def features(self, frames: NDArray[np.uint8]) -> Sequence[Any]:
        """Described points of each RGB frame (N, H, W, 3)."""

    def match(self, firsts: Sequence[Any], seconds: Sequence[Any]) -> Sequence[tuple[Floats, Floats]]:
        """Matched pixels (K, 2) of frames two by two, by their features, however far apart; pixel centres at +0.5."""

    def between(self, firsts: Sequence[Any], seconds: Sequence[Any]) -> Sequence[tuple[Floats, Floats]]:
        """The same for frames that may be close, by whichever way finds more."""


@signal(version=1, reads=("video",), seat="matches", frames=LIMITED, cost=0.15)
def neighbour_matches(
    clip: Clip, instrument: MatchInstrument, *, gap: int = 8, pairs: int = 16, most: int = 200
) -> Arrays:
    """Matches of up to `pairs` pairs of frames `gap` apart, spread over the clip, at most `most` of each pair.

    `pairs`: (P, 2) frame numbers; `points`: (M, 4) x, y in the first and x, y in the second frame, px of the clip's own
    size; `starts`: (P + 1,) where the matches of each pair begin in `points`.
    """
    count = len(clip.frames())
    if count < 2:
        raise InvalidVideo(f"matches need two frames, the clip has {count}")
    reach = min(gap, count - 1)
    firsts = np.unique(np.linspace(0, count - 1 - reach, pairs).astype(int)).tolist()
    return _matched(clip, instrument, [(i, i + reach) for i in firsts], most)


@signal(version=1, reads=("video",), needs=(poses(),), seat="matches", frames=LIMITED, cost=0.15)
def revisit_matches(
    clip: Clip, path: Arrays, instrument: MatchInstrument, *, apart: float = 0.25, pairs: int = 20, most: int = 200
) -> Arrays:
    """Matches of views the camera comes back to: similar pose, at least the share `apart` of the clip between them.

    Arrays as in `neighbour_matches`, best revisits first, each frame used at most once.
    """
    chosen = revisits(path["poses"], apart, pairs)
    if not chosen:
        raise Unscored("the camera does not come back to a view it has left")
    return _matched(clip, instrument, chosen, most)


def revisits(path: Floats, apart: float, most: int, *, turn: float = 10.0, step: float = 0.1) -> Pairs:
    """Pairs of frames far apart in time whose poses differ by less than `turn` degrees and `step` scene depths.

    Between the two the camera must have been away by more than twice that; a camera that rests revisits nothing.
    """
    count = len(path)
    first, second = np.triu_indices(count, max(1, round(apart * count)))
    angle = geodesic_deg(path[first, :3, :3], path[second, :3, :3])
    distance = np.linalg.norm(path[first, :3, 3] - path[second, :3, 3], axis=1)
    near = (angle < turn) & (distance < step)
    order = np.argsort(angle[near] / turn + distance[near] / step, kind="stable")
    chosen: Pairs = []
    used: set[int] = set()
    for k in np.flatnonzero(near)[order].tolist():
        i, j = int(first[k]), int(second[k])
        if i not in used and j not in used and _left_between(path, i, j, turn, step):
            chosen.append((i, j))
            used |= {i, j}
        if len(chosen) == most:
            break
    return chosen


def _left_between(path: Floats, i: int, j: int, turn: float, step: float) -> bool:
    away = geodesic_deg(path[i, :3, :3], path[i:j, :3, :3]).max() / turn
    moved = np.linalg.norm(path[i:j, :3, 3] - path[i, :3, 3], axis=1).max() / step
    return bool(max(away, moved) > 2)


def _matched(clip: Clip, instrument: MatchInstrument, pairs: Sequence[tuple[int, int]], most: int) -> Arrays:
    frames = clip.frames()
    enlarge = clip.size[0] / frames.size[0]
    numbers = sorted({k for pair in pairs for k in pair})
    described = in_stacks(instrument, instrument.features, [frames[k] for k in numbers])
    features = dict(zip(numbers, described, strict=True))
    rows, starts = [np.zeros((0, 4))], [0]
    for points in instrument.between([features[i] for i, _ in pairs], [features[j] for _, j in pairs]):
        found = np.concatenate(points, axis=1)
        # Evenly thinned, so that what is kept covers the frame as the whole did.
        thinned = found[np.unique(np.linspace(0, len(found) - 1, most).astype(int))] if len(found) > most else found
        rows.append(thinned)
        starts.append(starts[-1] + len(thinned))
    all_points = np.concatenate(rows) * enlarge
    return {"pairs": np.asarray(pairs), "points": all_points.astype(np.float32), "starts": np.asarray(starts)}
