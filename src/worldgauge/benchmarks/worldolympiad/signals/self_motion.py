"""Masks of what moves by itself, by optical flow and the camera's path: nobody needs to name it."""

from __future__ import annotations

import numpy as np

from worldgauge.benchmarks.worldolympiad.formulas.frame_rules import RECONSTRUCTION_FRAMES, spread
from worldgauge.benchmarks.worldolympiad.formulas.self_motion import misses, things
from worldgauge.benchmarks.worldolympiad.signals.fitted_path import fitted_path
from worldgauge.benchmarks.worldolympiad.signals.scene_inputs import poses_at, scaled_lens
from worldgauge.core.clip import Clip
from worldgauge.core.frames import FrameSpec
from worldgauge.core.signal import Arrays, signal
from worldgauge.functional.flow import magnitude
from worldgauge.functional.masks import encode_masks
from worldgauge.signals.flow import FlowInstrument, fields_between

SMALL = FrameSpec().within(416)
GROWN = 2
"""Times that a mask is grown by a square of five pixels."""


@signal(version=2, needs=(fitted_path(),), seat="flow", frames=SMALL, cost=0.15, dense=6.0)
def motion_masks(clip: Clip, path: Arrays, flow: FlowInstrument) -> Arrays:
    """Where something moves by itself in 32 frames: its flow to the frames before and after fits no static point.

    At most three things, and at most 15 % of a frame: where more than that sways, the scene does not hold, which is no
    reason to look away. `frames` (F,) are the numbers; `mask_runs` and `mask_starts` packed masks of `size`.
    """
    import cv2

    numbers = spread(clip.count, RECONSTRUCTION_FRAMES)
    frames = [np.asarray(frame) for frame in clip.frames(FrameSpec.at(*numbers).within(SMALL.max_side or 416))]
    height, width = frames[0].shape[:2]
    lens = scaled_lens(path, (width, height))
    cameras = poses_at(path, numbers)
    pairs = [(k, j) for k in range(len(numbers)) for j in (k - 1, k + 1) if 0 <= j < len(numbers)]
    least = [np.full((height, width), np.inf) for _ in numbers]
    speed = [np.zeros((height, width)) for _ in numbers]
    for (k, j), field in zip(pairs, fields_between(flow, frames, pairs), strict=True):
        least[k] = np.minimum(least[k], misses(field, cameras[k], cameras[j], lens))
        speed[k] = np.maximum(speed[k], magnitude(field))
    square = np.ones((5, 5), np.uint8)
    masks = []
    for miss, fast in zip(least, speed, strict=True):
        found = things(miss, fast, width).astype(np.uint8)
        masks.append(np.asarray(cv2.dilate(found, square, iterations=GROWN)) > 0)
    runs, starts = encode_masks(masks)
    return {
        "frames": np.array(numbers, np.int64),
        "mask_runs": runs,
        "mask_starts": starts,
        "size": np.array([width, height], np.int64),
    }
