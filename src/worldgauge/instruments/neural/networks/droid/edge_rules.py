"""Which frames get edges to each other: neighbours in time, and frames that see nearly the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Edge = tuple[int, int]
OUT_OF_SIGHT = 100.0
"""Px; frames further apart than this get no edge, whatever the threshold."""


@dataclass(frozen=True)
class Nearness:
    """When two frames are near enough for an edge."""

    threshold: float
    """Px of the feature map: the largest mean flow between them."""
    radius: int
    """Frames less than this apart in time are left to the neighbours' rule, which joins each with the `radius` + 1
    before it."""
    spacing: int
    """Around an edge, other edges within this many frames are left out, both ends together."""
    most: int
    """No further pair is looked for once there are more edges than this."""


def neighbours(first: int, last: int, radius: int = 3) -> list[Edge]:
    """Both directions between frames of `range(first, last)` that are at most `radius` apart."""
    frames = range(first, last)
    return [(i, j) for i in frames for j in frames if 0 < abs(i - j) <= radius]


def near(
    distances: NDArray[np.float64], existing: Iterable[Edge], nearness: Nearness, rows_from: int = 0, from_: int = 0
) -> list[Edge]:
    """Edges by distance, those of neighbours in time first, then the nearest pairs.

    `distances` has a row per frame from `rows_from` on and a column per frame from `from_` on, up to the last frame.
    """
    frames = from_ + distances.shape[1]
    left = np.array(distances, np.float64)
    rows, columns = np.mgrid[rows_from:frames, from_:frames]
    left[(rows - nearness.radius < columns) | (left > OUT_OF_SIGHT)] = np.inf

    def cover(i: int, j: int) -> None:
        for row, column in _around(i, j, nearness.spacing):
            if rows_from <= row < frames and from_ <= column < frames:
                left[row - rows_from, column - from_] = np.inf

    for i, j in existing:
        cover(i, j)
    edges: list[Edge] = []
    for i in range(rows_from, frames):
        for j in range(max(i - nearness.radius - 1, 0), i):
            edges += [(i, j), (j, i)]
            left[i - rows_from, j - from_] = np.inf
    for place in np.argsort(left, axis=None, kind="stable"):
        row, column = divmod(int(place), left.shape[1])
        if left[row, column] > nearness.threshold:
            continue
        if len(edges) > nearness.most:
            break
        i, j = row + rows_from, column + from_
        edges += [(i, j), (j, i)]
        cover(i, j)
    return edges


def _around(i: int, j: int, spacing: int) -> Iterator[Edge]:
    """Pairs near a pair; the nearer its own two frames in time, the fewer."""
    reach = max(min(abs(i - j) - 2, spacing), 0)
    for down in range(-reach, reach + 1):
        for across in range(abs(down) - reach, reach - abs(down) + 1):
            yield i + down, j + across
