"""Fitting images: the centre crop of a conditioning image and the inputs the released networks are given."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError

if TYPE_CHECKING:
    from PIL import Image

Size = tuple[int, int]
"""Width and height."""

TRACKER_AREA: Final = 512 * 512
TRACKER_INTRINSICS: Final = (500.0, 500.0, 256.0, 256.0)
"""fx, fy, cx, cy the released code assumes in pixels of the frame, whatever its size; right only for 512x512."""


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


def tracker_input(
    width: int, height: int
) -> tuple[tuple[int, int], tuple[int, int], tuple[float, float, float, float]]:
    """How the released code prepares frames for its tracker: resized size, cropped size, scaled intrinsics.

    >>> tracker_input(720, 480)[:2]
    ((627, 418), (624, 416))
    """
    factor = math.sqrt(TRACKER_AREA / (height * width))
    new_width, new_height = int(width * factor), int(height * factor)
    fx, fy, cx, cy = TRACKER_INTRINSICS
    across, down = new_width / width, new_height / height
    cropped = (new_width - new_width % 8, new_height - new_height % 8)
    return (new_width, new_height), cropped, (fx * across, fy * down, cx * across, cy * down)


def tracker_image(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A frame (H, W, 3) resized and cropped as `tracker_input` says."""
    import cv2

    resized, (width, height), _ = tracker_input(image.shape[1], image.shape[0])
    return np.asarray(cv2.resize(image, resized), np.uint8)[:height, :width]


def squashed(image: NDArray[np.uint8], side: int = 512) -> NDArray[np.uint8]:
    """A frame squashed to a square by PIL's bilinear filter, as the quality networks get it."""
    from PIL import Image as Pillow

    return np.asarray(Pillow.fromarray(image).resize((side, side), Pillow.Resampling.BILINEAR))
