"""Video files through PyAV: exact frame counts, rotation applied, truncation noticed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from worldgauge.core.errors import InvalidVideo
from worldgauge.core.video import Image, VideoInfo

SUFFIXES = frozenset({".mp4", ".m4v", ".mov", ".webm", ".mkv", ".avi", ".gif"})


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Any, Any]]:
    """The container and its first video stream; every reading problem becomes `InvalidVideo`."""
    import av

    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise InvalidVideo(f"{path.name} has no video stream")
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            yield container, stream
    except (av.error.FFmpegError, EOFError) as error:
        raise InvalidVideo(f"{path.name} cannot be decoded ({_first_line(error)})") from error


def probe(path: Path) -> VideoInfo:
    """Count frames by reading packets (headers lie), and decode one frame for the size and the rotation."""
    with _opened(path) as (container, stream):
        first = next(container.decode(stream), None)
        if first is None:
            raise InvalidVideo(f"{path.name} has no frames")
        rotation = int(first.rotation) % 360
        width, height = (first.height, first.width) if rotation in (90, 270) else (first.width, first.height)
        fps = float(stream.average_rate) if stream.average_rate else None
        codec, pixel_format = stream.codec_context.codec.canonical_name, first.format.name
    with _opened(path) as (container, stream):
        stamps = [p.pts for p in container.demux(stream) if p.size and not p.is_discard]
    return VideoInfo(len(stamps), width, height, fps, _is_variable(stamps), rotation, codec, pixel_format)


def decode(path: Path, ascending: list[int]) -> Iterator[tuple[int, Image]]:
    """Yield (index, RGB frame) for the wanted frame numbers in one forward pass; stops after the last one."""
    wanted = iter(ascending)
    target = next(wanted, None)
    with _opened(path) as (container, stream):
        for index, frame in enumerate(container.decode(stream)):
            if target is None:
                return
            if index == target:
                yield index, _to_rgb(frame)
                target = next(wanted, None)


def _to_rgb(frame: Any) -> Image:
    image = frame.to_ndarray(format="rgb24")
    turns = int(frame.rotation) % 360 // 90
    return np.ascontiguousarray(np.rot90(image, turns)) if turns else image


def _is_variable(stamps: list[int | None]) -> bool:
    """True when presentation times are unevenly spread, beyond the rounding of a millisecond clock."""
    known = sorted(s for s in stamps if s is not None)
    if len(known) < 3:
        return False
    steps = np.diff(known)
    return bool(steps.max() - steps.min() > max(1, 0.25 * float(np.median(steps))))


def _first_line(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(text).splitlines()[0]
