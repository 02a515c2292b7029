"""What is read off a clip."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from worldgauge import Arrays, Case, Clip, signal


@signal(version=1, reads=("video", "case"), requires=("target_mask",), seat="flow", cost=0.1)
def disc_motion(clip: Clip, case: Case, flow: Any) -> Arrays:
    """Mean colour inside the disc per frame, `rgb` (N, 3), and its mean speed per pair, `speed` (N - 1,) in px."""
    mask = case.target().mask
    frames = list(clip.frames())
    (height, width), (rows, columns) = frames[0].shape[:2], mask.shape
    fitted = mask[np.ix_(np.arange(height) * rows // height, np.arange(width) * columns // width)]
    fields = (field for stack in flow.flow_stacks(frames, list(pairwise(range(len(frames))))) for field in stack)
    speeds = [np.linalg.norm(field, axis=-1)[fitted].mean() for field in fields]
    return {"rgb": np.array([frame[fitted].mean(axis=0) for frame in frames]), "speed": np.array(speeds)}
