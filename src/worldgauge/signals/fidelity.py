"""Agreement of a video with its reference video, pixel by pixel."""

from __future__ import annotations

import numpy as np

from worldgauge.core.clip import Clip
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.frames import FrameSpec
from worldgauge.core.signal import Arrays, signal


@signal(version=1, reads=("video", "reference"), cost=0.05)
def pixel_errors(clip: Clip, reference: Clip) -> Arrays:
    """PSNR and SSIM of each frame against the reference frame of the same number.

    Frames the two clips have in common are compared; `frames` holds how many the clip and the reference have. A clip
    with fewer than half the reference's frames is invalid. Where the sizes differ the clip is resized to the
    reference's size: by area averaging when it shrinks, bilinearly when it grows.
    """
    from worldgauge.functional.photometric import psnr, ssim

    if 2 * clip.count < reference.count:
        raise InvalidVideo(f"the clip has {clip.count} frames, fewer than half of the reference's {reference.count}")
    common = tuple(range(min(clip.count, reference.count)))
    shrinks = clip.size[0] * clip.size[1] >= reference.size[0] * reference.size[1]
    spec = FrameSpec.at(*common)
    shown = clip.frames(spec.resized(*reference.size, interpolation="area" if shrinks else "bilinear"))
    pairs = list(zip(shown, reference.frames(spec), strict=True))
    return {
        "psnr": np.array([psnr(frame, truth) for frame, truth in pairs]),
        "ssim": np.array([ssim(frame, truth) for frame, truth in pairs]),
        "frames": np.array([clip.count, reference.count]),
    }
