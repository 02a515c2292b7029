"""Folders of PNG or JPEG frames, in natural order."""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from worldgauge.core.errors import InvalidVideo
from worldgauge.core.names import readable
from worldgauge.core.video import Image, VideoInfo, check_pixels
from worldgauge.media.door import check_regular

SUFFIXES = frozenset({".png", ".jpg", ".jpeg"})
_FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "TIFF")
"""What the content of a frame may be, whatever its suffix says; formats that run programs are not among them."""


_NAMED = 3
"""Pictures that a message names."""


def natural_key(name: str) -> list[tuple[int, str]]:
    """Sort key under which frame2 comes before frame10.

    >>> sorted(["f10.png", "f2.png"], key=natural_key)
    ['f2.png', 'f10.png']
    """
    return [(int(part), "") if part.isdecimal() else (-1, part.lower()) for part in re.split(r"(\d+)", name) if part]


def frame_files(folder: Path) -> list[Path]:
    """The folder's frames in natural order; hidden files are not frames."""
    try:
        names = [p for p in folder.iterdir() if p.suffix.lower() in SUFFIXES and not p.name.startswith(".")]
    except OSError as error:
        raise InvalidVideo(f"{readable(folder.name)} cannot be read ({error.strerror})") from error
    return sorted(names, key=lambda p: natural_key(p.name))


def strays(files: Sequence[Path]) -> list[Path]:
    """The pictures of a folder that are not named like the others, where more than half of them share one name with a
    number in it; empty where there is no such name. They may be no frames: a preview, a picture that was laid there.

    >>> [path.name for path in strays([Path("000.png"), Path("001.png"), Path("002.png"), Path("preview.png")])]
    ['preview.png']
    """
    names = [re.sub(r"\d+(\.\d+)*", "#", path.stem) for path in files]
    usual, count = Counter(names).most_common(1)[0] if names else ("", 0)
    if "#" not in usual or 2 * count <= len(names):
        return []
    return [path for path, name in zip(files, names, strict=True) if name != usual]


def remark_on_strays(files: Sequence[Path]) -> str:
    """What a record says of pictures that are not named like the other frames; empty where all are.

    >>> remark_on_strays([Path("000.png"), Path("001.png"), Path("preview.png")])
    '1 picture is not named like the other frames (preview.png), and is taken for one'
    """
    others = strays(files)
    if not others:
        return ""
    names = ", ".join(readable(path.name) for path in others[:_NAMED]) + (", ..." if len(others) > _NAMED else "")
    if len(others) == 1:
        return f"1 picture is not named like the other frames ({names}), and is taken for one"
    return f"{len(others)} pictures are not named like the other frames ({names}), and are taken for some"


def check_numbers(folder: Path) -> None:
    """Refuse a folder whose pictures are not one run of numbered frames: of a clip whose length is known, a picture of
    another name or a gap in the numbers is a frame that is missing.

    Raises:
        InvalidVideo: with the names of the pictures, or the number after which one is missing.
    """
    files = frame_files(folder)
    if others := strays(files):
        names = ", ".join(readable(path.name) for path in others[:_NAMED]) + (", ..." if len(others) > _NAMED else "")
        raise InvalidVideo(f"{readable(folder.name)} holds pictures that are no numbered frames: {names}")
    numbers = [re.findall(r"\d+", path.stem) for path in files]
    # Only the number that runs; without one nothing is known of the order.
    if not all(numbers) or len({tuple(each[:-1]) for each in numbers}) > 1:
        return
    for before, after in pairwise(int(each[-1]) for each in numbers):
        if after != before + 1:
            wrong = "is there twice" if after == before else f"is followed by {after}"
            raise InvalidVideo(f"frame {before} of {readable(folder.name)} {wrong}: the numbers must run on by one")


def probe_folder(folder: Path, fps: float | None) -> VideoInfo:
    if folder.is_symlink() and folder.parent.resolve().is_relative_to(folder.resolve()):
        raise InvalidVideo(f"{readable(folder.name)} is a link back to a folder it lies in")
    files = frame_files(folder)
    if not files:
        raise InvalidVideo(f"{readable(folder.name)} is a folder that has no png or jpg frames")
    height, width = read_image(files[0]).shape[:2]
    return VideoInfo(len(files), width, height, fps, strays=remark_on_strays(files))


def read_files(files: list[Path], ascending: list[int]) -> Iterator[tuple[int, Image]]:
    """Frames of these numbers out of a folder's files."""
    for index in ascending:
        yield index, read_image(files[index])


def read_image(path: Path) -> Image:
    """Any PNG or JPEG as uint8 RGB: grey repeated, 16 bits cut to the upper 8, alpha dropped, EXIF turns applied."""
    from PIL import Image as Pillow
    from PIL import ImageOps

    check_regular(path)
    try:
        with Pillow.open(path, formats=_FORMATS) as image:
            check_pixels(*image.size)
            if image.mode.startswith("I"):
                grey = (np.clip(np.asarray(image, dtype=np.int64), 0, 65535) >> 8).astype(np.uint8)
                return np.repeat(grey[..., None], 3, axis=2)
            # In place, and as it is where it can be: each copy of a full HD frame takes a tenth of its decoding.
            ImageOps.exif_transpose(image, in_place=True)
            return np.asarray(image if image.mode == "RGB" else image.convert("RGB"), np.uint8)
    except Pillow.DecompressionBombError as error:
        raise InvalidVideo(f"{readable(path.parent.name)}/{readable(path.name)} is too large to be decoded") from error
    except (OSError, SyntaxError, ValueError, EOFError, struct.error) as error:
        raise InvalidVideo(f"{readable(path.parent.name)}/{readable(path.name)} is not a readable image") from error
