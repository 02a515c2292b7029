"""PSNR and SSIM against closed forms and an independent straight-line SSIM."""

from __future__ import annotations

import math

import numpy as np
import pytest

from worldgauge.core.errors import WorldGaugeError
from worldgauge.functional.photometric import psnr, ssim


def grey(value: int, size: int = 24) -> np.ndarray:
    return np.full((size, size, 3), value, np.uint8)


def test_psnr_of_constant_images_is_the_closed_form() -> None:
    assert psnr(grey(100), grey(110)) == pytest.approx(10 * math.log10(255**2 / 100))


def test_psnr_counts_every_channel() -> None:
    one_channel = grey(100)
    one_channel[..., 0] = 110
    assert psnr(one_channel, grey(100)) == pytest.approx(10 * math.log10(255**2 / (100 / 3)))


def test_psnr_of_known_noise() -> None:
    noise = np.random.default_rng(0).normal(0, 8, (200, 200, 3))
    noisy = np.clip(np.round(128 + noise), 0, 255).astype(np.uint8)
    # Rounding to integers adds a variance of 1/12.
    assert psnr(noisy, grey(128, 200)) == pytest.approx(10 * math.log10(255**2 / (64 + 1 / 12)), abs=0.05)


def test_psnr_is_capped_at_99() -> None:
    almost = np.zeros((512, 512, 3), np.uint8)
    nearly_same = almost.copy()
    nearly_same[0, 0, 0] = 1
    assert psnr(almost, almost) == 99.0
    assert psnr(almost, nearly_same) == 99.0


@pytest.mark.parametrize("border", ["valid", "reflect"])
def test_ssim_of_constant_images_is_the_luminance_term(border: str) -> None:
    c1 = (0.01 * 255) ** 2
    expected = (2 * 100 * 180 + c1) / (100**2 + 180**2 + c1)
    assert ssim(grey(100), grey(180), border) == pytest.approx(expected, abs=1e-9)  # type: ignore[arg-type]


def test_ssim_of_an_inverted_pattern_is_negative() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (32, 32, 1), np.uint8).repeat(3, axis=2)
    assert ssim(noise, 255 - noise) < -0.5
    assert ssim(noise, noise) == 1.0


def window_ssim(x: np.ndarray, y: np.ndarray) -> float:
    """SSIM of two luma images, one window at a time, with weighted moments about the mean."""
    offsets = np.arange(11) - 5
    bell = np.exp(-(offsets**2) / (2 * 1.5**2))
    weights = np.outer(bell, bell) / np.outer(bell, bell).sum()
    scores = []
    for row in range(x.shape[0] - 10):
        for column in range(x.shape[1] - 10):
            a, b = (v[row : row + 11, column : column + 11].astype(float) for v in (x, y))
            mean_a, mean_b = (weights * a).sum(), (weights * b).sum()
            var_a, var_b = (weights * (a - mean_a) ** 2).sum(), (weights * (b - mean_b) ** 2).sum()
            covariance = (weights * (a - mean_a) * (b - mean_b)).sum()
            luminance = (2 * mean_a * mean_b + 6.5025) / (mean_a**2 + mean_b**2 + 6.5025)
            scores.append(luminance * (2 * covariance + 58.5225) / (var_a + var_b + 58.5225))
    return float(np.mean(scores))


def test_ssim_equals_a_window_by_window_oracle() -> None:
    rng = np.random.default_rng(2)
    x = rng.integers(0, 256, (20, 26), np.uint8)
    y = np.clip(x + rng.normal(0, 30, x.shape), 0, 255).astype(np.uint8)
    as_rgb = [v[..., None].repeat(3, axis=2) for v in (x, y)]
    assert ssim(*as_rgb) == pytest.approx(window_ssim(x, y), abs=1e-9)


def test_reflected_border_equals_the_oracle_on_a_mirrored_image() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 256, (2, 12, 14), np.uint8)
    mirrored = [np.pad(v, 5, mode="reflect") for v in (x, y)]
    as_rgb = [v[..., None].repeat(3, axis=2) for v in (x, y)]
    assert ssim(*as_rgb, border="reflect") == pytest.approx(window_ssim(*mirrored), abs=1e-9)


def test_images_too_small_or_unequal_are_refused() -> None:
    with pytest.raises(WorldGaugeError, match="11x11"):
        ssim(grey(1, 8), grey(1, 8))
    with pytest.raises(WorldGaugeError, match="different shape"):
        psnr(grey(1, 8), grey(1, 9))
