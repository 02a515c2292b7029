"""Tiny copies of the frames, and their tones."""

from __future__ import annotations

import numpy as np

from worldgauge.core.clip import Clip
from worldgauge.core.signal import Arrays, signal
from worldgauge.functional.glimpses import glimpse, tone_fullness


@signal(version=1, reads=("video",), cost=0.005)
def frame_glimpses(clip: Clip) -> Arrays:
    """Every frame averaged down to 48 x 27, and how full its range of tones is.

    `glimpses` (N, 27, 48, 3), 8-bit levels; `tones` (N,) share of the tones in a frame's range that occur in it.
    """
    frames = clip.frames()
    return {
        "glimpses": np.stack([glimpse(frame) for frame in frames]),
        "tones": np.array([tone_fullness(frame) for frame in frames]),
    }
