"""Writing clips: lossless FFV1 for truth, H.264 for people and browsers."""

from __future__ import annotations

import os
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from worldgauge.core.video import Image


def write_video(
    path: Path, frames: Iterable[Image], fps: float, *, crf: int | None = None, preset: str = "medium"
) -> None:
    """Write RGB frames. `.mkv` without `crf` is FFV1 in RGB, bit-exact; otherwise H.264 at that quality (18).

    `preset` trades the encoder's time for file size.

    The file appears under its name only when complete.
    """
    import av

    lossless = path.suffix == ".mkv" and crf is None
    partial = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        with av.open(str(partial), "w", options={"fflags": "+bitexact"}) as container:
            stream = None
            for image in frames:
                if stream is None:
                    stream = container.add_stream(
                        "ffv1" if lossless else "libx264", rate=Fraction(fps).limit_denominator(1001)
                    )
                    stream.width, stream.height = image.shape[1], image.shape[0]
                    stream.pix_fmt = "bgr0" if lossless else _h264_format(image)
                    # Threads would make the bytes depend on the machine.
                    stream.codec_context.thread_count = 1
                    stream.options = (
                        {"flags": "+bitexact"}
                        if lossless
                        else {"crf": str(18 if crf is None else crf), "preset": preset, "flags": "+bitexact"}
                    )
                frame = av.VideoFrame.from_ndarray(image, format="rgb24")
                for packet in stream.encode(frame.reformat(format=stream.pix_fmt)):
                    container.mux(packet)
            if stream is not None:
                for packet in stream.encode():
                    container.mux(packet)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _h264_format(image: Image) -> str:
    # 4:2:0 needs even sides.
    return "yuv420p" if image.shape[0] % 2 == 0 and image.shape[1] % 2 == 0 else "yuv444p"
