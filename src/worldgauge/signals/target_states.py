"""What the target is like in each frame, alone and beside the true one."""

from __future__ import annotations

import numpy as np

from worldgauge.core.clip import Clip
from worldgauge.core.frames import FrameSpec
from worldgauge.core.signal import Arrays, signal
from worldgauge.functional.masks import resize_mask
from worldgauge.functional.phases import stretch
from worldgauge.functional.target_states import colours_apart, state_of
from worldgauge.signals.tracks import object_track, unpack_masks


@signal(version=3, reads=("video",), needs=(object_track(),), frames=FrameSpec().within(416), cost=0.005)
def target_states(clip: Clip, track: Arrays) -> Arrays:
    """Place, size and looks of the target in each frame, NaN where it is not seen.

    `place` (N, 2) and `size` (N,), in frame heights; `looks` (N, 8, 8, 3) the picture in its box, Lab in 8-bit levels.
    `usable` (N,): whether the frame shows the world at all.
    """
    frames = clip.frames()
    width, height = frames.size
    masks = [resize_mask(mask, height, width) for mask in unpack_masks(track)]
    rows = [state_of(frame, mask) for frame, mask in zip(frames, masks, strict=True)]
    place, size, looks = (np.stack([np.asarray(part) for part in column]) for column in zip(*rows, strict=True))
    return {
        "place": place,
        "size": size,
        "looks": looks.astype(np.float32),
        "usable": track["usable"],
    }


@signal(
    version=1,
    reads=("video", "reference"),
    needs=(object_track(), object_track(of="reference")),
    frames=FrameSpec().within(416),
    cost=0.01,
)
def target_colours(clip: Clip, reference: Clip, track: Arrays, true_track: Arrays) -> Arrays:
    """How far the target's colour is from the true one's at the same moment, frame by frame of the clip.

    `apart` (N,) Lab in 8-bit levels, NaN where one of the two is not seen; `shown` (N,): whether the reference shows
    the target then; `usable` (N,): whether the clip's frame shows the world at all.
    """
    truth = reference.frames()
    width, height = truth.size
    twins = stretch(0, reference.count - 1, clip.count)
    masks, true_masks = ([resize_mask(m, height, width) for m in unpack_masks(t)] for t in (track, true_track))
    apart = [
        colours_apart(frame, truth[twin], mask, true_masks[twin])
        for frame, twin, mask in zip(clip.frames(FrameSpec().resized(width, height)), twins, masks, strict=True)
    ]
    shown = np.array([mask.any() for mask in true_masks])[twins]
    return {"apart": np.array(apart), "shown": shown, "usable": track["usable"]}
