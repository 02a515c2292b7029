"""The network in NumPy against plain definitions of its parts."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image
from scipy.signal import correlate

from worldgauge.core.errors import WorldGaugeError
from worldgauge.functional import vgg_style
from worldgauge.functional.vgg_style import CHANNELS, style_features, style_image


@pytest.mark.parametrize(
    ("shape", "expected"), [((40, 61), (32, 48)), ((61, 40), (48, 32)), ((30, 30), (32, 32)), ((64, 64), (32, 32))]
)
def test_an_image_is_resized_by_its_shorter_side_and_normalised(
    shape: tuple[int, int], expected: tuple[int, int]
) -> None:
    image = np.random.default_rng(0).integers(0, 256, (*shape, 3), dtype=np.uint8)
    found = style_image(image, shorter=32)
    assert found.shape == (3, *expected)
    resized = np.asarray(Image.fromarray(image).resize(expected[::-1], Image.Resampling.BILINEAR)) / 255.0
    # ImageNet's mean and deviation, as every user of the network has them.
    for channel, (mean, deviation) in enumerate(((0.485, 0.229), (0.456, 0.224), (0.406, 0.225))):
        np.testing.assert_allclose(found[channel], (resized[..., channel] - mean) / deviation, atol=1e-5)


def test_one_channel_is_spread_over_three_and_other_modes_are_refused() -> None:
    grey = np.random.default_rng(0).integers(0, 256, (20, 30), dtype=np.uint8)
    as_colour = style_image(np.repeat(grey[..., None], 3, axis=2), shorter=20)
    np.testing.assert_allclose(style_image(grey, "L", shorter=20), as_colour, atol=1e-5)
    with pytest.raises(WorldGaugeError, match="mode RGBA"):
        style_image(np.zeros((4, 4, 4), np.uint8), "RGBA")


def _convolved(image: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    maps = [sum(correlate(x, k, "same") for x, k in zip(image, kernels, strict=True)) for kernels in weight]
    return np.stack(maps) + bias[:, None, None]


@pytest.mark.parametrize("strip", [1, 24, 2048])
def test_five_convolutions_with_pooling_before_the_third_and_fifth(strip: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vgg_style, "_STRIP", strip)
    random = np.random.default_rng(1)
    # As many channels as the network has, divided by sixteen.
    sizes = [(max(3, a // 16), b // 16) for a, b in CHANNELS]
    layers = [
        (random.normal(size=(out, into, 3, 3)).astype(np.float32), random.normal(size=out).astype(np.float32))
        for into, out in sizes
    ]
    image = random.normal(size=(3, 13, 11)).astype(np.float32)
    current, expected = image.astype(np.float64), []
    for number, (weight, bias) in enumerate(layers):
        if number in (2, 4):
            height, width = current.shape[1] // 2, current.shape[2] // 2
            corners = [current[:, i : 2 * height : 2, j : 2 * width : 2] for i in (0, 1) for j in (0, 1)]
            current = np.max(corners, axis=0)
        expected.append(_convolved(current, weight.astype(np.float64), bias))
        current = np.maximum(expected[-1], 0)
    found = style_features(image, layers)
    assert [f.shape for f in found] == [e.shape for e in expected]
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-4 * np.abs(theirs).max())
