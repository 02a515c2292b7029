"""Pictures and masks, with a limit on the pixels before any is decoded."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import check_file

if TYPE_CHECKING:
    from PIL import Image

FILE_LIMIT: Final = 256 * 2**20
"""Bytes of a picture's file."""
PIXELS_LIMIT: Final = 80_000_000
"""Twice the pixels of an 8K frame; as RGB this is a quarter of a gibibyte."""
FORMATS: Final = ("PNG", "JPEG", "WEBP", "BMP", "TIFF", "GIF")
"""Pillow reads many more, some by starting other programs."""

_DAMAGED = (
    OSError, ValueError, SyntaxError, EOFError, KeyError, IndexError, TypeError, OverflowError, MemoryError,
    NotImplementedError, RuntimeError, AttributeError, ZeroDivisionError, struct.error, zlib.error,
)  # fmt: skip
"""What Pillow raises over files that are not what they seem."""


def read_picture(file: Path, what: str = "picture", hint: str = "restore the data set") -> Image.Image:
    """A picture with its pixels; `what` names it in messages."""
    from PIL import Image

    check_file(file, FILE_LIMIT, hint)
    try:
        with Image.open(file, formats=FORMATS) as picture:
            width, height = picture.size
            if width * height > PIXELS_LIMIT:
                raise WorldGaugeError(f"{what} {file} has {width}x{height} pixels, at most {PIXELS_LIMIT:,} are read")
            picture.load()
            return picture
    except (*_DAMAGED, Image.DecompressionBombError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise WorldGaugeError(f"{what} {file} cannot be read ({reason})", hint) from error
