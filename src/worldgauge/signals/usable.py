"""Which frames of a clip show something that can be measured."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.clip import Clip
from worldgauge.core.frames import FrameSpec
from worldgauge.core.signal import Arrays, signal
from worldgauge.functional.usable import faults_of, usable


@signal(version=1, reads=("video",), frames=FrameSpec().within(416), cost=0.01)
def usable_frames(clip: Clip) -> Arrays:
    """Frames that show the world: `usable` (N,), and what is wrong with the others, `fault` (N,).

    A fault is "blank", "noise", "flash" (the brightness jumps there and back) or "foreign" (the picture has less in
    common with its neighbours than these have with each other); empty for a frame without one.
    """
    faults = faults_of(clip.frames())
    return {"usable": usable(faults), "fault": np.array(faults, dtype="U8")}


def usable_pairs(frames: Arrays) -> NDArray[np.bool_]:
    """(N-1,) whether both frames of each two consecutive ones are usable."""
    used = frames["usable"]
    return np.asarray(used[:-1] & used[1:])
