"""Quality figures against closed forms and known doses."""

import cv2
import numpy as np
import pytest

from worldgauge.functional.quality import (
    blockiness,
    colourfulness,
    exposure,
    grey_of,
    noise,
    overall_quality,
    sharpness,
)


def picture(seed: int = 0) -> np.ndarray:
    """Texture at several scales under a few coloured discs, (180, 320, 3)."""
    rng = np.random.default_rng(seed)
    image = np.full((180, 320, 3), 110, np.float32)
    for scale in (1, 3, 9):
        grain = cv2.GaussianBlur(rng.normal(size=image.shape).astype(np.float32), (0, 0), scale)
        image += 12 * grain / grain.std()
    for _ in range(12):
        centre = (int(rng.integers(320)), int(rng.integers(180)))
        cv2.circle(image, centre, int(rng.integers(6, 30)), rng.integers(20, 235, 3).tolist(), -1, cv2.LINE_AA)
    return np.clip(image, 0, 255).astype(np.uint8)


def overall(image: np.ndarray) -> float:
    grey = grey_of(image)
    return overall_quality(sharpness(grey), noise(grey), blockiness(grey))


def jpeg(image: np.ndarray, quality: int) -> np.ndarray:
    return cv2.imdecode(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_COLOR)


@pytest.mark.parametrize("sigma", [2.0, 8.0, 20.0])
def test_noise_is_read_in_grey_levels(sigma: float) -> None:
    rng = np.random.default_rng(0)
    flat = 128 + sigma * rng.standard_normal((160, 160))
    assert noise(flat.astype(np.float32)) == pytest.approx(sigma, rel=0.15)


def test_ramps_and_upright_edges_are_not_noise() -> None:
    x = np.tile(np.arange(128, dtype=np.float32), (96, 1))
    assert noise(x) == pytest.approx(0, abs=1e-3)
    assert noise(np.where(x > 64, 200, 30).astype(np.float32)) == pytest.approx(0, abs=1e-3)


def test_blur_lowers_sharpness_step_by_step() -> None:
    values = [sharpness(cv2.GaussianBlur(grey_of(picture()), (0, 0), s)) for s in (0.3, 1, 2, 3, 5)]
    assert values == sorted(values, reverse=True) and values[0] > values[-1] + 0.3


def test_blockiness_sees_a_grid_of_eight_at_any_phase_and_no_other() -> None:
    y, x = np.mgrid[:96, :128]
    for phase in (0, 3):
        eight = 100 + 20.0 * (((x + phase) // 8 + (y + phase) // 8) % 2)
        assert blockiness(eight.astype(np.float32)) > 5
    eleven = 100 + 20.0 * ((x // 11 + y // 11) % 2)
    assert blockiness(eleven.astype(np.float32)) < 1


def test_exposure_counts_clipped_pixels() -> None:
    grey = np.full((10, 10), 100, np.float32)
    grey[:2], grey[9] = 0, 255
    assert exposure(grey) == pytest.approx(0.7)


def test_colourfulness_is_zero_for_grey_and_grows_with_saturation() -> None:
    grey = np.repeat(np.random.default_rng(0).integers(0, 256, (20, 20, 1), dtype=np.uint8), 3, 2)
    assert colourfulness(grey) == 0
    # Two halves of pure opponents: rg = +-255, yb = +-127.5 - ..., worked out by hand.
    image = np.zeros((2, 2, 3), np.uint8)
    image[0, :, 0], image[1, :, 1] = 255, 255
    assert colourfulness(image) == pytest.approx(255 + 0.3 * 127.5)


@pytest.mark.parametrize("harm", ["blur", "noise", "compression"])
def test_overall_falls_with_every_dose(harm: str) -> None:
    rng = np.random.default_rng(0)
    image = picture()
    doses = {
        "blur": [cv2.GaussianBlur(image, (0, 0), s) for s in (0.3, 1, 2, 3, 4)],
        "noise": [
            np.clip(image + s * rng.standard_normal(image.shape), 0, 255).astype(np.uint8) for s in (0, 5, 10, 20, 40)
        ],
        "compression": [jpeg(image, q) for q in (95, 60, 30, 15, 6)],
    }[harm]
    values = [overall(dose) for dose in doses]
    assert values == sorted(values, reverse=True)
    assert values[-1] < 0.6 * values[0]


@pytest.mark.parametrize("image", [np.zeros((64, 64, 3), np.uint8), np.zeros((5, 5, 3), np.uint8)])
def test_flat_and_tiny_pictures_have_finite_figures(image: np.ndarray) -> None:
    grey = grey_of(image)
    assert (sharpness(grey), noise(grey), blockiness(grey), overall(image)) == (0, 0, 0, 0)
