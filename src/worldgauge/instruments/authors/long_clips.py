"""Clips of more frames than a network shall see at once: which it sees, and where the camera is in the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def spread(count: int, most: int, wanted: Sequence[int] = ()) -> list[int]:
    """Numbers of at most `most` of `count` frames, evenly from the first to the last, all of those wanted among them.

    >>> spread(5, 0), spread(9, 3), spread(9, 4, [1, 7])
    ([0, 1, 2, 3, 4], [0, 4, 8], [0, 1, 7, 8])
    """
    if most <= 0 or most >= count:
        return list(range(count))
    if len(wanted) >= most:
        return sorted(wanted)
    return sorted({*wanted, *np.linspace(0, count - 1, max(2, most - len(wanted))).round().astype(int).tolist()})


def between(poses: NDArray[np.float64], frames: Sequence[int], count: int) -> NDArray[np.float64]:
    """Poses (N, 4, 4) of some frames, first and last among them, as those of all: turned and moved evenly between.

    >>> step = np.tile(np.eye(4), (2, 1, 1))
    >>> step[1, 0, 3] = 2.0
    >>> between(step, [0, 4], 5)[:, 0, 3].tolist()
    [0.0, 0.5, 1.0, 1.5, 2.0]
    """
    from scipy.spatial.transform import Rotation, Slerp

    every = np.arange(count)
    found = np.tile(np.eye(4), (count, 1, 1))
    found[:, :3, :3] = Slerp(frames, Rotation.from_matrix(poses[:, :3, :3]))(every).as_matrix()
    found[:, :3, 3] = np.stack([np.interp(every, frames, poses[:, axis, 3]) for axis in range(3)], axis=1)
    return found
