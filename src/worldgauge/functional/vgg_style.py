"""The first five convolutions of VGG19 in NumPy: enough for the style score, without a deep-learning library."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError

Floats = NDArray[np.float32]
Layer = tuple[Floats, Floats]
"""Weight (out, in, 3, 3) and bias (out,)."""

CHANNELS = ((3, 64), (64, 64), (64, 128), (128, 128), (128, 256))
POOL_BEFORE = (False, False, True, False, True)
_STRIP = 2048
"""Pixels of one matrix product."""
_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
_DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)


def style_image(image: NDArray[np.uint8], mode: str = "RGB", shorter: int = 512) -> Floats:
    """An 8-bit image as the released code feeds it: shorter side resized, scaled to [0, 1], normalised, (3, H, W).

    `image` is (H, W, 3), or (H, W) for mode `L`, whose one channel is spread over three. Other modes are refused.
    """
    from PIL import Image

    if mode not in ("RGB", "L"):
        raise WorldGaugeError(f"the input image has mode {mode}", "the style score needs RGB or L")
    picture = Image.fromarray(image, mode=None)
    width, height = picture.size
    # The longer side is truncated, not rounded, by the original's resize.
    size = (shorter, int(shorter * height / width)) if width <= height else (int(shorter * width / height), shorter)
    pixels = np.asarray(picture.resize(size, Image.Resampling.BILINEAR), np.float32) / 255.0
    return np.ascontiguousarray(((pixels.reshape(*pixels.shape[:2], -1) - _MEAN) / _DEVIATION).transpose(2, 0, 1))


def style_features(image: Floats, layers: Sequence[Layer]) -> list[Floats]:
    """Outputs (C, H, W) of the five convolutions, before their ReLU, for a normalised image (3, H, W)."""
    outputs: list[Floats] = []
    current = image
    for (weight, bias), pool in zip(layers, POOL_BEFORE, strict=True):
        if outputs:
            current = np.maximum(outputs[-1], 0)
        if pool:
            current = _max_pool(current)
        outputs.append(_convolve(current, weight, bias))
    return outputs


def gram_matrix(features: Floats) -> NDArray[np.float64]:
    """Inner products of the channels of a feature map (C, H, W), divided by its number of entries: (C, C).

    >>> gram_matrix(np.ones((2, 1, 2), np.float32)).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    flat = np.asarray(features, np.float64).reshape(features.shape[0], -1)
    return np.asarray(flat @ flat.T / flat.size)


def _convolve(image: Floats, weight: Floats, bias: Floats) -> Floats:
    """3x3 convolution with a border of zeros, one matrix product per strip of rows that fits in the cache."""
    channels, height, width = image.shape
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(image, ((0, 0), (1, 1), (1, 1))), (3, 3), axis=(1, 2))
    kernel = weight.reshape(len(weight), -1)
    rows = max(1, _STRIP // width)
    output = np.empty((len(weight), height, width), np.float32)
    for top in range(0, height, rows):
        strip = windows[:, top : top + rows].transpose(0, 3, 4, 1, 2)
        product = kernel @ strip.reshape(channels * 9, -1) + bias[:, None]
        output[:, top : top + rows] = product.reshape(len(weight), -1, width)
    return output


def _max_pool(image: Floats) -> Floats:
    channels, height, width = image.shape[0], image.shape[1] // 2, image.shape[2] // 2
    blocks = image[:, : 2 * height, : 2 * width].reshape(channels, height, 2, width, 2)
    return np.asarray(blocks.max(axis=(2, 4)))
