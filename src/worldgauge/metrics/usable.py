"""Means over frames of which some show nothing of the world."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.metric import Measurement
from worldgauge.functional.usable import check_enough, over_time, told_left_out


def of_usable_frames(values: NDArray[np.float64], used: NDArray[np.bool_]) -> Measurement:
    """The mean over all frames, those that are not `used` counting as those around them; unscored where most are not.

    >>> one = of_usable_frames(np.array([0.5, 1.0, 0.5]), np.array([True, False, True]))
    >>> one.value, one.curve, one.reason
    (0.5, (0.5, None, 0.5), '1 of 3 frames left out (frame 1)')
    """
    check_enough(used, "frames are usable")
    return Measurement.from_curve(
        np.where(used, values, np.nan),
        lambda _: over_time(values, used),
        told_left_out(used),
        left_out=1 - float(used.mean()),
    )
