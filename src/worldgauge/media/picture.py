"""From a decoded picture to RGB as a player shows it: colour matrix and range, depth, rotation, square pixels.

The matrix and the range are what the file says. A file that says nothing is read as BT.601 of limited range, whatever
its size: so do FFmpeg and all that is built on it, which also wrote nearly every such file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from worldgauge.core.errors import InvalidVideo
from worldgauge.core.video import Image
from worldgauge.media.resize import resize

_MATRICES = {1: "BT.709", 4: "FCC", 5: "BT.601", 6: "BT.601", 7: "SMPTE 240M", 9: "BT.2020"}
_NOT_STATED = (0, 2, 3)
"""Identity on a picture that is not RGB, unspecified, and a reserved number."""
_LIMITED, _FULL = 1, 2
_HIGH_DYNAMIC_RANGE = {16: "PQ", 18: "HLG"}
_DEEP = re.compile(r"(yuv4\d\dp|yuva4\d\dp|gray)\d+[lb]e")
_DEEP_SEMI_PLANAR = {"p0": "yuv420p", "p2": "yuv422p", "p4": "yuv444p"}


@dataclass(frozen=True)
class Orientation:
    """How the container wants the picture shown: mirrored left to right first, then turned counter-clockwise."""

    turns: int = 0
    """Quarter turns."""
    mirrored: bool = False

    def apply(self, image: Image) -> Image:
        shown = image[:, ::-1] if self.mirrored else image
        return np.ascontiguousarray(np.rot90(shown, self.turns)) if self != Orientation() else image


def orientation_of(frame: Any) -> Orientation:
    """What the display matrix that came with the picture asks for."""
    from av.sidedata.sidedata import Type

    found = frame.side_data.get(Type.DISPLAYMATRIX)
    if found is None:
        return Orientation()
    # Column x and row y of the picture go to (a x + c y, b x + d y).
    a, b, _, c, d = (int(number) for number in np.frombuffer(bytes(found), np.int32)[:5])
    straight, crossed = max(abs(a), abs(d)), max(abs(b), abs(c))
    if straight == crossed == 0:
        return Orientation()
    # Within a degree, as players round it.
    if min(straight, crossed) > 0.017 * max(straight, crossed):
        raise InvalidVideo(f"the file asks to be turned by {frame.rotation} degrees; quarter turns alone are possible")
    if straight > crossed:
        mirrored = (a < 0) != (d < 0)
        return Orientation(2 if d < 0 else 0, mirrored)
    mirrored = (b < 0) == (c < 0)
    return Orientation((1 if b < 0 else 3) if not mirrored else (3 if b < 0 else 1), mirrored)


def colour_of(frame: Any) -> str:
    """Matrix and range the conversion uses, and whether the file states them.

    >>> from av import VideoFrame
    >>> colour_of(VideoFrame(16, 16, "yuv420p"))
    'BT.601 (not stated), limited range (not stated)'
    """
    if frame.format.is_rgb or frame.format.has_palette:
        return "RGB"
    if frame.colorspace not in _MATRICES and frame.colorspace not in _NOT_STATED:
        raise InvalidVideo(f"colour matrix number {int(frame.colorspace)} of the file cannot be converted to RGB")
    matrix = _MATRICES.get(frame.colorspace, "BT.601 (not stated)")
    if frame.format.name.startswith("yuvj") or frame.color_range == _FULL:
        return f"{matrix}, full range"
    return f"{matrix}, limited range{'' if frame.color_range == _LIMITED else ' (not stated)'}"


def high_dynamic_range_of(frame: Any) -> str:
    """Name of the transfer curve where the picture is of high dynamic range; else empty."""
    return _HIGH_DYNAMIC_RANGE.get(int(frame.color_trc), "")


def square_width(width: int, aspect: float) -> int:
    """Width at which pixels `aspect` times as wide as high become square, the height left as it is."""
    return max(1, round(width * aspect))


def to_rgb(frame: Any, orientation: Orientation, aspect: float) -> Image:
    """The picture as a player shows it, uint8 (H, W, 3).

    More than 8 bits are rounded to 8 first, so that a deep clip goes the same way as its plain twin.
    """
    plain = _eight_bits(frame.format.name)
    picture = frame.reformat(format=plain) if plain else frame
    # A reserved number must not reach the conversion, which would refuse it.
    stated = {"src_colorspace": "ITU601", "dst_colorspace": "ITU601"} if frame.colorspace in _NOT_STATED[2:] else {}
    image: Image = picture.to_ndarray(format="rgb24", **stated)
    if aspect != 1.0:
        size = (square_width(image.shape[1], aspect), image.shape[0])
        image = resize(image, size, "bicubic" if aspect > 1 else "area")
    return orientation.apply(image)


def _eight_bits(name: str) -> str | None:
    """The 8-bit format of the same layout, for a format with more bits.

    >>> _eight_bits("yuv420p10le"), _eight_bits("yuv420p")
    ('yuv420p', None)
    """
    found = _DEEP.fullmatch(name)
    if found:
        return found[1]
    return _DEEP_SEMI_PLANAR.get(name[:2]) if re.fullmatch(r"p[024]1[0-6][lb]e", name) else None
