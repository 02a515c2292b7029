"""Does one static scene explain the frames? Rebuilt from every second of 32 frames, it is held against the others."""

from __future__ import annotations

import numpy as np

from worldgauge.benchmarks.worldolympiad.formulas.photometric import Likeness, likeness
from worldgauge.benchmarks.worldolympiad.formulas.splat_views import shown_pixels
from worldgauge.benchmarks.worldolympiad.signals.self_motion import masks_of, motion_masks
from worldgauge.benchmarks.worldolympiad.signals.views import cameras_of, frames_of
from worldgauge.core.clip import Clip
from worldgauge.core.errors import Unscored
from worldgauge.core.reasons import TOO_FEW_FRAMES
from worldgauge.core.signal import Arrays, signal
from worldgauge.signals.poses import poses
from worldgauge.signals.seats import ReconstructionInstrument

SIDE = 416
"""Px of the longer side at which frames are compared, at most."""


@signal(version=1, reads=("video",), needs=(motion_masks(), poses()), seat="reconstruction", cost=0.6, dense=12.0)
def photometric_errors(clip: Clip, moving: Arrays, path: Arrays, instrument: ReconstructionInstrument) -> Arrays:
    """Structural similarity and PSNR of every odd one of 32 frames with its picture from a scene of the even ones.

    `ssim`, `psnr`, `covered` (F,) of the frames with numbers `frames` (F,): over the pixels that the scene covers and
    that do not move by themselves. A frame of which the scene covers too little has NaN. Unscored where that is so in
    more than half of the frames.
    """
    from worldgauge.functional.masks import resize_mask
    from worldgauge.media.resize import resize

    numbers = moving["frames"].tolist()
    frames = frames_of(clip, numbers, instrument)
    masks = masks_of(moving, (frames.shape[2], frames.shape[1]))
    even, odd = list(range(0, len(numbers), 2)), list(range(1, len(numbers), 2))
    scene = instrument.reconstruct(
        frames,
        cameras_of(path, numbers, frames),
        masks=masks if masks.any() else None,
        sources=even,
        name=clip.video.path.stem,
    )
    shrink = min(1.0, SIDE / max(frames.shape[1:3]))
    width, height = round(frames.shape[2] * shrink), round(frames.shape[1] * shrink)
    found = list[Likeness]()
    for k in odd:
        cameras = scene.cameras
        lens = cameras.intrinsics[k] * np.array([[width / cameras.size[0]], [height / cameras.size[1]], [1.0]])
        colours, alpha = scene.render(cameras.in_scene(k), lens, (width, height))
        frame = resize(frames[k], (width, height), "area")
        found.append(likeness(frame, shown_pixels(colours), alpha > 0.5, resize_mask(masks[k], height, width)))
    counted = [one.counts for one in found]
    if 2 * sum(counted) < len(odd):
        raise Unscored(
            f"the scene covers too little of {len(odd) - sum(counted)} of {len(odd)} frames", code=TOO_FEW_FRAMES
        )
    return {
        "frames": np.array([numbers[k] for k in odd], np.int64),
        "ssim": np.array([one.ssim if one.counts else np.nan for one in found]),
        "psnr": np.array([one.psnr if one.counts else np.nan for one in found]),
        "covered": np.array([one.covered for one in found]),
    }
