"""How long a clip is."""

from __future__ import annotations

import numpy as np

from worldgauge.core.clip import Clip
from worldgauge.core.signal import Arrays, signal


@signal(version=1, reads=("video",), cost=0.0)
def clip_length(clip: Clip) -> Arrays:
    """Number of frames: `count`."""
    return {"count": np.array(clip.count)}
