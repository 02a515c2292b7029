"""Videos for the browser: H.264 as they are, everything else transcoded."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from worldgauge.core.errors import InvalidVideo
from worldgauge.core.evidence import Drawn, Still
from worldgauge.core.video import Image, Video

_LOG = logging.getLogger(__name__)
_PLAYABLE = {("h264", "yuv420p"), ("h264", "yuvj420p"), ("vp9", "yuv420p"), ("av1", "yuv420p"), ("vp8", "yuv420p")}
_CONTAINERS = {".mp4": "mov", ".m4v": "mov", ".webm": "matroska"}
"""What a browser expects behind a suffix; a file of another content is transcoded."""
_DEFAULT_FPS = 10.0
MOST_SIDE = 320
"""Pixels of the longer side of a picture on a page."""


def plays_in_browsers(video: Video) -> bool:
    """Whether every current browser plays the file as it is, and shows frame k at k over its rate."""
    from worldgauge.media.door import container_of

    expected = _CONTAINERS.get(video.path.suffix.lower())
    if expected is None or video.path.is_dir():
        return False
    try:
        info = video.info
        playable = (info.codec, info.pixel_format) in _PLAYABLE and not info.variable_rate
        return playable and container_of(video.path) == expected
    except InvalidVideo:
        return False


def place(video: Video | Drawn | Still, target: Path) -> bool:
    """Put a playable copy of a video at `target`; False, with a log line, when the video cannot be decoded."""
    from worldgauge.media.encoder import write_video

    target.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(video, Still):
        return _place_picture(video, target)
    if isinstance(video, Drawn):
        write_video(target, _even(video.frames()), video.fps, crf=20, preset="veryfast")
        return target.exists()
    if target.exists() and target.stat().st_mtime >= video.path.stat().st_mtime:
        return True
    if plays_in_browsers(video):
        partial = target.with_name(f".{target.name}.{os.getpid()}")
        shutil.copyfile(video.path, partial)
        partial.replace(target)
        return True
    try:
        fps = video.info.fps or _DEFAULT_FPS
        write_video(target, _even(video.frames()), fps, crf=20, preset="veryfast")
    except InvalidVideo as error:
        _LOG.warning("%s is left out of the report: %s", video.path, error)
        return False
    return target.exists()


def _place_picture(still: Still, target: Path) -> bool:
    from PIL import Image as Pictures

    try:
        picture = Pictures.fromarray(np.asarray(still.picture()))
    except InvalidVideo as error:
        _LOG.warning("a picture is left out of the report: %s", error)
        return False
    picture.thumbnail((MOST_SIDE, MOST_SIDE))
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    picture.save(partial, "JPEG", quality=85)
    partial.replace(target)
    return True


def _even(frames: Iterator[Image]) -> Iterator[Image]:
    """Repeat the last row or column where a side is odd: browsers want 4:2:0, which wants even sides."""
    for frame in frames:
        height, width = frame.shape[:2]
        if height % 2 or width % 2:
            frame = np.pad(frame, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
        yield frame
