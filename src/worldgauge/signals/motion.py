"""Coarse motion and light of consecutive frames."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.clip import Clip
from worldgauge.core.errors import Unscored
from worldgauge.core.reasons import TOO_FEW_FRAMES
from worldgauge.core.signal import Arrays, signal
from worldgauge.functional.motion_cells import cell_velocities, light_gain
from worldgauge.functional.usable import LEAST_PAIRS
from worldgauge.signals.flow import consecutive, flow_fields, ways_of
from worldgauge.signals.usable import usable_frames, usable_pairs


@signal(version=2, reads=("video",), needs=(flow_fields(), usable_frames()), cost=0.005)
def motion_cells(clip: Clip, fields: Iterable[Arrays], shown: Arrays) -> Arrays:
    """Motion of consecutive frames in the cells of a grid, and how the light of the same points changes.

    `velocity` (N-1, 9, 16, 2): mean forward flow of each cell, frame heights per frame, NaN where one of the two frames
    is not usable;
    `gain` (N-1, 3): how much brighter the points that stay in view become, stops per colour channel.
    """
    velocity, gain = [], []
    pairs = zip(usable_pairs(shown), ways_of(fields), consecutive(clip), strict=True)
    for usable, (forward, _), (first, second) in pairs:
        cells = cell_velocities(forward)
        velocity.append(cells if usable else np.full_like(cells, np.nan))
        gain.append(light_gain(first, second, forward))
    return {"velocity": np.stack(velocity), "gain": np.stack(gain)}


def shown_pairs(motion: Arrays, otherwise: str = TOO_FEW_FRAMES) -> NDArray[np.bool_]:
    """(N-1,) which pairs of `motion_cells` have a motion; unscored, for that reason, where too few do."""
    shown = np.asarray(np.isfinite(motion["velocity"]).all((1, 2, 3)))
    if shown.mean() < LEAST_PAIRS:
        raise Unscored(f"only {shown.sum()} of {len(shown)} pairs of frames are usable", code=otherwise)
    return shown
