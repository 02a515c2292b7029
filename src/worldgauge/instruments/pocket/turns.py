"""Turns between joined frames, and the ways along them to every frame of a clip."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.lens import Lens
from worldgauge.instruments.pocket.corner_tracks import Tracks
from worldgauge.instruments.pocket.two_view import fit_turn

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Turns = dict[tuple[int, int], Floats]
"""(3, 3) best pure rotations between joined frames: the second camera in the first, and the other way round."""


def joined_turns(tracks: Tracks, lens: Lens) -> Turns:
    """The turns of all joined pairs."""
    found: Turns = {}
    for first, second in tracks.links.tolist():
        rotation = fit_turn(*tracks.shared(first, second)[1:], lens).rotation
        found[first, second], found[second, first] = rotation, rotation.T
    return found


def turned_along(turns: Turns, route: Sequence[int]) -> Floats:
    """(K, 3, 3) orientations along joined frames from their turns alone, in the first one's."""
    rotation = [np.eye(3)]
    for pair in pairwise(route):
        rotation.append(rotation[-1] @ turns[pair])
    return np.stack(rotation)


def turned_rotations(tracks: Tracks, turns: Turns) -> Floats:
    """(N, 3, 3) orientations of all frames from their turns alone, in the first one's."""
    rotation = np.tile(np.eye(3), (tracks.frames, 1, 1))
    for route in routes(tracks.links, 0, 0):
        rotation[route] = rotation[route[0]] @ turned_along(turns, route)
    return rotation


def routes(links: Ints, first: int, last: int) -> list[list[int]]:
    """Ways along the links to all other frames from those between `first` and `last`: on in time, back, then branches.

    Each begins with a frame already reached.
    """
    near: dict[int, list[int]] = {frame: [] for frame in range(len(links) + 1)}
    for one, other in links.tolist():
        near[one].append(other)
        near[other].append(one)
    reached = set(range(first, last + 1))
    found: list[list[int]] = []
    starts = [last, *range(first, last)]
    for start in starts:
        while any(frame not in reached for frame in near[start]):
            route = [start]
            while ahead := [frame for frame in near[route[-1]] if frame not in reached]:
                following, farthest = (route[-1] + 1, max) if start == last else (route[-1] - 1, min)
                # What was followed from frame to frame holds better than a leap.
                route.append(following if following in ahead else farthest(ahead))
                reached.add(route[-1])
            found.append(route)
            starts.extend(route[1:])
    return found
