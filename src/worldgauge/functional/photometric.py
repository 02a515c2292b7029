"""Pixel comparisons of two images: PSNR and SSIM, with every convention named."""

from __future__ import annotations

import math
import threading
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError

Image = NDArray[np.uint8]

PSNR_CEILING: Final = 99.0
"""Decibels given to identical images, whose error is zero, and the most any pair can get."""
WINDOW: Final = 11
"""Width in pixels of the Gaussian window of SSIM; its sigma is 1.5."""


def mean_squared_error(image: Image, reference: Image) -> float:
    """Mean squared difference of two uint8 images (H, W, C) over all pixels and channels, in squared levels.

    >>> mean_squared_error(np.zeros((1, 2, 3), np.uint8), np.full((1, 2, 3), 2, np.uint8))
    4.0
    """
    import cv2

    _same_shape(image, reference)
    # A sum of whole numbers, which OpenCV hands out as the square of its root.
    squares = float(cv2.norm(image, reference, cv2.NORM_L2SQR))
    return round(squares) / image.size


def psnr(image: Image, reference: Image) -> float:
    """Peak signal-to-noise ratio in dB of two uint8 images (H, W, C): mean squared error over all pixels and channels.

    >>> black, white = np.zeros((2, 2, 3), np.uint8), np.full((2, 2, 3), 255, np.uint8)
    >>> psnr(black, white), psnr(black, black)
    (0.0, 99.0)
    """
    return psnr_of(mean_squared_error(image, reference))


def psnr_of(error: float) -> float:
    """The same out of the mean squared error.

    >>> round(psnr_of(1.0), 2)
    48.13
    """
    if error == 0.0:
        return PSNR_CEILING
    return min(PSNR_CEILING, 10.0 * math.log10(255.0**2 / error))


def ssim(image: Image, reference: Image, border: Literal["valid", "reflect"] = "valid") -> float:
    """Structural similarity (Wang 2004) of two uint8 RGB images (H, W, 3), in [-1, 1]: the mean of `ssim_map`.

    `valid` averages over the pixels whose window lies inside the image, as the paper's code does; `reflect` over all.

    >>> grey = np.full((16, 16, 3), 90, np.uint8)
    >>> ssim(grey, grey)
    1.0
    """
    similarity = ssim_map(image, reference)
    return float(np.clip((inner(similarity) if border == "valid" else similarity).mean(), -1.0, 1.0))


def ssim_map(image: Image, reference: Image) -> NDArray[np.float64]:
    """Structural similarity around each pixel, (H, W).

    Luma is BT.601 rounded to uint8; 11x11 Gaussian window, sigma 1.5; K1 = 0.01, K2 = 0.03, L = 255; beyond its border
    the image is mirrored without repeating the edge.
    """
    import cv2

    _same_shape(image, reference)
    x, y, mean_x, mean_y, spare, cross = _room.of(image.shape[:2])
    np.copyto(x, cv2.cvtColor(image, cv2.COLOR_RGB2GRAY))
    np.copyto(y, cv2.cvtColor(reference, cv2.COLOR_RGB2GRAY))

    def blur(values: NDArray[np.float64], into: NDArray[np.float64]) -> NDArray[np.float64]:
        window = (WINDOW, WINDOW)
        return np.asarray(cv2.GaussianBlur(values, window, 1.5, dst=into, borderType=cv2.BORDER_REFLECT_101))

    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    blur(x, mean_x)
    blur(y, mean_y)
    blur(np.multiply(x, y, out=spare), cross)
    square_x = blur(np.square(x, out=x), spare)
    square_y = blur(np.square(y, out=y), x)
    # Numerator: (2 mean_x mean_y + c1) (2 covariance + c2).
    product = np.multiply(mean_x, mean_y)
    cross -= product
    cross *= 2
    cross += c2
    product *= 2
    product += c1
    product *= cross
    # Denominator: (mean_x^2 + mean_y^2 + c1) (variance_x + variance_y + c2).
    square_x -= np.square(mean_x, out=mean_x)
    square_y -= np.square(mean_y, out=mean_y)
    square_x += square_y
    square_x += c2
    mean_x += mean_y
    mean_x += c1
    mean_x *= square_x
    product /= mean_x
    return np.asarray(product)


class _Room(threading.local):
    """Arrays that are written over by each call of a thread: new ones of this size cost more than what is computed."""

    def __init__(self) -> None:
        self._arrays: NDArray[np.float64] = np.empty((6, 0, 0))

    def of(self, shape: tuple[int, ...]) -> NDArray[np.float64]:
        if self._arrays.shape[1:] != shape:
            self._arrays = np.empty((6, *shape))
        return self._arrays


_room = _Room()


def inner(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """The part of an `ssim_map` whose windows lie inside the image."""
    if min(similarity.shape) < WINDOW:
        raise WorldGaugeError(f"SSIM needs images of at least {WINDOW}x{WINDOW} pixels, got {similarity.shape}")
    margin = WINDOW // 2
    return similarity[margin:-margin, margin:-margin]


def _same_shape(image: Image, reference: Image) -> None:
    if image.shape != reference.shape:
        raise WorldGaugeError(f"images of different shape cannot be compared: {image.shape} and {reference.shape}")
