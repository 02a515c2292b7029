"""Agreement of a video with its reference video, pixel by pixel."""

from __future__ import annotations

import numpy as np

from worldgauge.core.clip import Clip
from worldgauge.core.errors import InvalidVideo, Unscored
from worldgauge.core.frames import FrameSpec, unlike_rates
from worldgauge.core.signal import Arrays, signal


@signal(version=2, reads=("video", "reference"), cost=0.05)
def pixel_errors(clip: Clip, reference: Clip) -> Arrays:
    """PSNR and SSIM of each frame against the reference frame of the same moment.

    Frames of the same number are compared, as far as both clips go; where the two clips state unlike rates, frames of
    the same time, one for each frame of the slower clip. `indices` are the clip's frames that are compared; `frames`
    holds how many the clip and the reference have, `rates` their frames per second (NaN where not known). A clip that
    lasts less than half as long as the reference is invalid. Where the sizes differ the clip is resized to the
    reference's size: by area averaging when it shrinks, bilinearly when it grows.
    """
    from worldgauge.functional.pairing import pairs_in_time
    from worldgauge.functional.photometric import psnr, ssim

    rates = (clip.fps, reference.fps)
    if unlike_rates(*rates) and (clip.video.info.variable_rate or reference.video.info.variable_rate):
        raise Unscored("video and reference have unlike rates, one of them variable: no frame has a known partner")
    rate, true_rate = rates if unlike_rates(*rates) else (None, None)
    if 2 * clip.count * (true_rate or 1) < reference.count * (rate or 1):
        raise InvalidVideo(
            f"the clip lasts less than half as long as the reference ({clip.count} frames of {reference.count})"
            if rate is not None
            else f"the clip has {clip.count} frames, fewer than half of the reference's {reference.count}"
        )
    numbers = pairs_in_time(clip.count, reference.count, rate, true_rate)
    shrinks = clip.size[0] * clip.size[1] >= reference.size[0] * reference.size[1]
    ours, theirs = (FrameSpec.at(*indices) for indices in zip(*numbers, strict=True))
    shown = clip.frames(ours.resized(*reference.size, interpolation="area" if shrinks else "bilinear"))
    pairs = list(zip(shown, reference.frames(theirs), strict=True))
    return {
        "psnr": np.array([psnr(frame, truth) for frame, truth in pairs]),
        "ssim": np.array([ssim(frame, truth) for frame, truth in pairs]),
        "indices": np.array([ours for ours, _ in numbers]),
        "frames": np.array([clip.count, reference.count]),
        "rates": np.array([np.nan if fps is None else fps for fps in rates]),
    }
