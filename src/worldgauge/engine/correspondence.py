"""What a number that compares a video with its reference must say: that the two are not alike in size or rate."""

from __future__ import annotations

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.frames import unlike_rates
from worldgauge.core.video import VideoInfo
from worldgauge.engine.definitions import Definition
from worldgauge.engine.inputs import CaseInputs


def remark_on_reference(definition: Definition, inputs: CaseInputs) -> str:
    """A remark for a metric that reads both clips; empty where they are alike, or the metric reads one only."""
    if inputs.video is None or "reference" not in definition.parts:
        return ""
    try:
        return unlike(inputs.video.info, inputs.clip("reference").video.info)
    except WorldGaugeError:
        # The numbers came from the store; a clip that can no longer be read is told elsewhere.
        return ""


def unlike(video: VideoInfo, reference: VideoInfo) -> str:
    """In which of size and rate two clips differ.

    >>> unlike(VideoInfo(8, 320, 180, 12.0), VideoInfo(8, 640, 360, 24.0))
    'the reference is 640x360 at 24 fps, the video 320x180 at 12 fps: compared at one size'
    >>> unlike(VideoInfo(8, 320, 180, None), VideoInfo(8, 320, 180, 24.0))
    ''
    """
    sizes = [f"{info.width}x{info.height}" for info in (reference, video)]
    rates = [f"at {info.fps:.4g} fps" for info in (reference, video) if info.fps]
    other_size, other_rate = sizes[0] != sizes[1], unlike_rates(video.fps, reference.fps)
    if not other_size and not other_rate:
        return ""
    words = [
        " ".join(parts)
        for parts in zip(*([sizes] if other_size else []), *([rates] if other_rate else []), strict=True)
    ]
    return f"the reference is {words[0]}, the video {words[1]}" + (": compared at one size" if other_size else "")
