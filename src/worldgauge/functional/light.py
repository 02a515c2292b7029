"""Exposure over time, from how much brighter the same points become from frame to frame (N-1, 3), in stops."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
AROUND = 2
"""Pairs of frames on either side whose common change is no jump."""
BESIDE = 4
"""Known changes that tell what an unknown one was."""


def drift_since_start(gain: Floats) -> Floats:
    """(N-1,) root mean square over the channels of the change since the first frame.

    An unknown change counts as the median of the known ones next to it: light that drifts goes on while frames are
    lost. Each frame takes the median of the frames around it: a flash is no drift.

    >>> flash, step = np.array([0.0, 1, -1, 0, 0]), np.array([1.0, 0, 0, 0, 0])
    >>> [drift_since_start(np.stack([change] * 3, -1)).tolist() for change in (flash, step)]
    [[0.0, 0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0, 1.0]]
    """
    total = np.cumsum(_known_or_usual(gain), axis=0)
    around = [total[max(0, k - AROUND) : k + AROUND + 1] for k in range(len(total))]
    settled = np.array([np.median(values, axis=0) for values in around])
    return np.asarray(np.sqrt((settled**2).mean(axis=1)))


def _known_or_usual(gain: Floats) -> Floats:
    """Changes of light, those that are not known as most of the `BESIDE` known ones nearest in time; 0 without any."""
    known = np.flatnonzero(np.isfinite(gain).all(axis=1))
    found = np.nan_to_num(gain)
    for k in np.setdiff1d(np.arange(len(gain)), known) if len(known) else ():
        nearest = known[np.argsort(np.abs(known - k), kind="stable")[:BESIDE]]
        found[k] = np.median(gain[nearest], axis=0)
    return found


def jumps(gain: Floats) -> Floats:
    """(N-1,) by how much the change of brightness differs from the median of the changes around it.

    >>> jumps(np.array([[0.1] * 3, [0.1] * 3, [-0.9] * 3, [1.1] * 3, [0.1] * 3])).round(2).tolist()
    [0.0, 0.0, 1.0, 1.0, 0.0]
    """
    bright = np.nan_to_num(gain).mean(axis=1)
    around = [bright[max(0, k - AROUND) : k + AROUND + 1] for k in range(len(bright))]
    return np.asarray(np.abs(bright - np.array([np.median(values) for values in around])))
