"""Clips of every odd kind, made by hand and cheaply."""

from __future__ import annotations

import os
import struct
import zlib
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

import helpers
from worldgauge.media.encoder import write_video

Frames = NDArray[np.uint8]
QUARTER_TURN = (0, -1, 1, 0)
"""Display matrix (a, b, c, d) that turns the picture by 90 degrees counter-clockwise."""


def clip(seed: int = 0, frames: int = 6) -> Frames:
    return helpers.moving_texture(frames, seed=seed)


def encoded(
    path: Path,
    images: Frames,
    pix_fmt: str = "yuv420p",
    *,
    codec: str = "ffv1",
    container: str = "matroska",
    times: list[int] | None = None,
    interlaced: bool = False,
    aspect: Fraction | None = None,
) -> Path:
    """A clip by the named codec; the rounding to `pix_fmt` always goes through yuv420p, so twins hold one picture."""
    with path.open("wb") as out, av.open(out, "w", format=container) as target:
        stream: Any = target.add_stream(codec, rate=10)
        stream.width, stream.height, stream.pix_fmt = images.shape[2], images.shape[1], pix_fmt
        if codec == "libx264":
            stream.options = {"qp": "0", "preset": "ultrafast"} | ({"x264opts": "tff=1"} if interlaced else {})
        if aspect is not None:
            stream.codec_context.sample_aspect_ratio = aspect
        if times:
            stream.codec_context.time_base = Fraction(1, 1000)
        for index, image in enumerate(images):
            frame = av.VideoFrame.from_ndarray(image, format="rgb24").reformat(format="yuv420p")
            frame = frame.reformat(format=pix_fmt)
            if times:
                frame.pts, frame.time_base = times[index], Fraction(1, 1000)
            target.mux(stream.encode(frame))
        target.mux(stream.encode())
    return path


def turned(source: Path, target: Path, matrix: tuple[int, int, int, int]) -> Path:
    """An mp4 whose track header asks for a display matrix."""
    data = bytearray(source.read_bytes())
    at = data.index(b"tkhd") + 4 + 40
    a, b, c, d = (number * (1 << 16) for number in matrix)
    data[at : at + 36] = struct.pack(">9i", a, b, 0, c, d, 0, 0, 0, 1 << 30)
    target.write_bytes(data)
    return target


def giant_gif(path: Path, side: int = 30000) -> Path:
    """Two frames of `side` x `side` pixels, in name only."""
    screen = b"GIF89a" + struct.pack("<HHBBB", side, side, 0x80, 0, 0) + bytes(6)
    image = b"," + struct.pack("<HHHHB", 0, 0, side, side, 0) + b"\x02\x02\x4c\x01\x00"
    path.write_bytes(screen + image * 2 + b";")
    return path


def bad_entries(folder: Path) -> dict[str, str]:
    """Eight entries that are no video, by case id, with a word of the reason each must have."""
    write_video(folder / "whole.mp4", clip(), fps=10)
    data = (folder / "whole.mp4").read_bytes()
    (folder / "truncated.mp4").write_bytes(data[: len(data) // 2])
    (folder / "whole.mp4").unlink()
    os.mkfifo(folder / "pipe.mp4")
    (folder / "loop.mp4").symlink_to("loop.mp4")
    (folder / "list.mp4").write_text("ffconcat version 1.0\nfile plain-00.mkv\n")
    giant_gif(folder / "giant.mp4")
    encoded(folder / "dot.mkv", np.zeros((3, 1, 1, 3), np.uint8), "yuv444p")
    (folder / "nothing.mp4").touch()
    (folder / "folder.mp4").mkdir()
    return {
        "truncated": "cannot be decoded",
        "pipe": "a pipe",
        "loop": "symbolic links",
        "list": "playlist",
        "giant": "30000x30000",
        "dot": "1x1",
        "nothing": "empty",
        "folder.mp4": "no png or jpg frames",
    }


def giant_png(path: Path, side: int = 30000) -> Path:
    """A PNG of `side` x `side` pixels, in its header only."""
    header = b"IHDR" + struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = b"".join(
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
        for chunk in (header, b"IDAT" + zlib.compress(b""), b"IEND")
    )
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunks)
    return path
