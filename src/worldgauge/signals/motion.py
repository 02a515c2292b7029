"""Coarse motion and light of consecutive frames."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from worldgauge.core.clip import Clip
from worldgauge.core.signal import Arrays, signal
from worldgauge.functional.motion_cells import cell_velocities, is_blank, light_gain
from worldgauge.signals.flow import consecutive, flow_fields


@signal(version=1, reads=("video",), needs=(flow_fields(),), cost=0.005)
def motion_cells(clip: Clip, fields: Iterable[Arrays]) -> Arrays:
    """Motion of consecutive frames in the cells of a grid, and how the light of the same points changes.

    `velocity` (N-1, 9, 16, 2): mean forward flow of each cell, frame heights per frame, NaN next to a blank frame;
    `gain` (N-1, 3): how much brighter the points that stay in view become, stops per colour channel.
    """
    velocity, gain = [], []
    for field, (first, second) in zip(fields, consecutive(clip), strict=True):
        forward = field["forward"][0]
        cells = cell_velocities(forward)
        velocity.append(np.full_like(cells, np.nan) if is_blank(first) or is_blank(second) else cells)
        gain.append(light_gain(first, second, forward))
    return {"velocity": np.stack(velocity), "gain": np.stack(gain)}
