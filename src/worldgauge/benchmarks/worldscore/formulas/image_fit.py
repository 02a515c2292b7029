"""Fitting images: the centre crop of a conditioning image, and the square that quality networks are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError

if TYPE_CHECKING:
    from PIL import Image


def crop_box(size: tuple[int, int], target: tuple[int, int]) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of the centred crop of an image of `size` with the aspect ratio of `target` (w, h).

    >>> crop_box((1920, 1080), (512, 512))
    (420, 0, 1500, 1080)
    """
    width, height = size
    ratio = target[0] / target[1]
    if width / height > ratio:
        new_width, new_height = int(height * ratio), height
    else:
        new_width, new_height = width, int(width / ratio)
    left, top = (width - new_width) // 2, (height - new_height) // 2
    return left, top, left + new_width, top + new_height


def crop_and_resize(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    """The conditioning image at (width, height): centre crop, then PIL's default filter; the colour mode is kept."""
    left, top, right, bottom = crop_box(image.size, size)
    if right <= left or bottom <= top:
        raise WorldGaugeError(
            f"an image of {image.width}x{image.height} px has no crop of aspect {size[0]}:{size[1]}",
            "use a larger image or another --size",
        )
    return image.crop((left, top, right, bottom)).resize(size)


def squashed(image: NDArray[np.uint8], side: int = 512) -> NDArray[np.uint8]:
    """A frame squashed to a square by PIL's bilinear filter, as the quality networks get it."""
    from PIL import Image as Pillow

    return np.asarray(Pillow.fromarray(image).resize((side, side), Pillow.Resampling.BILINEAR))
