"""Folders of PNG or JPEG frames, in natural order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from worldgauge.core.errors import InvalidVideo
from worldgauge.core.video import Image, VideoInfo

SUFFIXES = frozenset({".png", ".jpg", ".jpeg"})


def natural_key(name: str) -> list[tuple[int, str]]:
    """Sort key under which frame2 comes before frame10.

    >>> sorted(["f10.png", "f2.png"], key=natural_key)
    ['f2.png', 'f10.png']
    """
    return [(int(part), "") if part.isdigit() else (-1, part.lower()) for part in re.split(r"(\d+)", name) if part]


def frame_files(folder: Path) -> list[Path]:
    """The folder's frames in natural order; hidden files are not frames."""
    names = [p for p in folder.iterdir() if p.suffix.lower() in SUFFIXES and not p.name.startswith(".")]
    return sorted(names, key=lambda p: natural_key(p.name))


def probe_folder(folder: Path, fps: float | None) -> VideoInfo:
    files = frame_files(folder)
    if not files:
        raise InvalidVideo(f"{folder.name} has no png or jpg frames")
    height, width = read_image(files[0]).shape[:2]
    return VideoInfo(len(files), width, height, fps)


def read_folder(folder: Path, ascending: list[int]) -> Iterator[tuple[int, Image]]:
    files = frame_files(folder)
    for index in ascending:
        yield index, read_image(files[index])


def read_image(path: Path) -> Image:
    """Any PNG or JPEG as uint8 RGB: grey repeated, 16 bits cut to the upper 8, alpha dropped, EXIF turns applied."""
    from PIL import Image as Pillow
    from PIL import ImageOps, UnidentifiedImageError

    try:
        with Pillow.open(path) as image:
            if image.mode.startswith("I"):
                grey = (np.clip(np.asarray(image, dtype=np.int64), 0, 65535) >> 8).astype(np.uint8)
                return np.repeat(grey[..., None], 3, axis=2)
            return np.asarray(ImageOps.exif_transpose(image).convert("RGB"), np.uint8)
    except (UnidentifiedImageError, OSError, SyntaxError) as error:
        raise InvalidVideo(f"{path.parent.name}/{path.name} is not a readable image") from error
