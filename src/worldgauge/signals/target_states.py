"""What the target is like in each frame."""

from __future__ import annotations

import numpy as np

from worldgauge.core.clip import Clip
from worldgauge.core.frames import FrameSpec
from worldgauge.core.signal import Arrays, signal
from worldgauge.functional.masks import resize_mask
from worldgauge.functional.target_states import state_of
from worldgauge.signals.tracks import object_track, unpack_masks


@signal(version=2, reads=("video",), needs=(object_track(),), frames=FrameSpec().within(416), cost=0.005)
def target_states(clip: Clip, track: Arrays) -> Arrays:
    """Place, size and looks of the target in each frame, NaN where it is not seen.

    `place` (N, 2) and `size` (N,), in frame heights; `looks` (N, 8, 8, 3) the picture in its box and `colour` (N, 3)
    its mean colour, both Lab in 8-bit levels. `usable` (N,): whether the frame shows the world at all.
    """
    frames = clip.frames()
    width, height = frames.size
    masks = [resize_mask(mask, height, width) for mask in unpack_masks(track)]
    rows = [state_of(frame, mask) for frame, mask in zip(frames, masks, strict=True)]
    place, size, looks, colour = (np.stack([np.asarray(part) for part in column]) for column in zip(*rows, strict=True))
    return {
        "place": place,
        "size": size,
        "looks": looks.astype(np.float32),
        "colour": colour,
        "usable": track["usable"],
    }
