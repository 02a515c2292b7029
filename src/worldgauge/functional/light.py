"""Exposure over time, from how much brighter the same points become from frame to frame (N-1, 3), in stops."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
AROUND = 2
"""Pairs of frames on either side whose common change is no jump."""


def drift_since_start(gain: Floats) -> Floats:
    """(N-1,) root mean square over the channels of the change since the first frame.

    An unknown change counts as the clip's median one: light that drifts goes on while frames are lost. Each frame takes
    the median of the frames around it: a flash is no drift.

    >>> flash, step = np.array([0.0, 1, -1, 0, 0]), np.array([1.0, 0, 0, 0, 0])
    >>> [drift_since_start(np.stack([change] * 3, -1)).tolist() for change in (flash, step)]
    [[0.0, 0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0, 1.0]]
    """
    known = np.isfinite(gain)
    usual = np.nanmedian(gain, axis=0) if known.any() else np.zeros(gain.shape[1])
    total = np.cumsum(np.where(known, gain, usual), axis=0)
    around = [total[max(0, k - AROUND) : k + AROUND + 1] for k in range(len(total))]
    settled = np.array([np.median(values, axis=0) for values in around])
    return np.asarray(np.sqrt((settled**2).mean(axis=1)))


def jumps(gain: Floats) -> Floats:
    """(N-1,) by how much the change of brightness differs from the median of the changes around it.

    >>> jumps(np.array([[0.1] * 3, [0.1] * 3, [-0.9] * 3, [1.1] * 3, [0.1] * 3])).round(2).tolist()
    [0.0, 0.0, 1.0, 1.0, 0.0]
    """
    bright = np.nan_to_num(gain).mean(axis=1)
    around = [bright[max(0, k - AROUND) : k + AROUND + 1] for k in range(len(bright))]
    return np.asarray(np.abs(bright - np.array([np.median(values) for values in around])))
