"""Patch descriptors: unit length, what they tell apart and what they do not."""

import itertools

import cv2
import numpy as np
import pytest

from worldgauge.functional.embedding import cosine, coverage, describe_patches, pool, unit


def plain(colour: tuple[int, int, int], height: int = 32, width: int = 48) -> np.ndarray:
    return np.full((height, width, 3), colour, np.uint8)


def stripes(vertical: bool) -> np.ndarray:
    y, x = np.mgrid[:32, :48]
    wave = 128 + 80 * np.sin((x if vertical else y) * np.pi / 4)
    return np.repeat(wave[..., None], 3, 2).astype(np.uint8)


def test_every_patch_is_a_unit_vector() -> None:
    image = np.random.default_rng(0).integers(0, 256, (33, 50, 3), dtype=np.uint8)
    grid = describe_patches(image, 8)
    assert grid.shape[:2] == (4, 6)
    np.testing.assert_allclose(np.linalg.norm(grid, axis=-1), 1, atol=1e-5)


def test_equal_patches_agree_fully_and_other_colours_do_not() -> None:
    red, blue = describe_patches(plain((200, 30, 30)), 8), describe_patches(plain((30, 30, 200)), 8)
    assert cosine(red[0, 0], red[2, 3]) == pytest.approx(1)
    # Both are flat, so the edge half agrees; the colour half shares nothing.
    assert cosine(red[0, 0], blue[0, 0]) == pytest.approx(0.5, abs=0.02)


def test_shading_matters_less_than_hue() -> None:
    bright, dark, other = (describe_patches(plain(c), 8)[0, 0] for c in ((200, 60, 40), (120, 36, 24), (40, 60, 200)))
    assert cosine(bright, dark) > cosine(bright, other) + 0.1


def test_direction_of_edges_is_told() -> None:
    upright, level = describe_patches(stripes(True), 8)[1, 2], describe_patches(stripes(False), 8)[1, 2]
    assert cosine(upright, upright) == pytest.approx(1)
    assert cosine(upright, level) < 0.8


def test_flat_patches_are_not_described_by_their_noise() -> None:
    rng = np.random.default_rng(0)
    first, second = (plain((90, 90, 90)) + rng.integers(0, 2, (32, 48, 3), dtype=np.uint8) for _ in range(2))
    assert cosine(describe_patches(first, 8), describe_patches(second, 8)).min() > 0.98


def test_pooling_under_a_mask_ignores_the_rest() -> None:
    image = plain((200, 30, 30))
    image[:, 24:] = (30, 30, 200)
    grid = describe_patches(image, 8)
    left = np.zeros((32, 48), bool)
    left[:, :24] = True
    red, blue = describe_patches(plain((200, 30, 30)), 8)[0, 0], describe_patches(plain((30, 30, 200)), 8)[0, 0]
    half = len(red) - 17  # the colour half; the border between the halves is an edge for both
    assert cosine(pool(grid, left)[:half], red[:half]) == pytest.approx(1)
    assert cosine(pool(grid, ~left)[:half], blue[:half]) == pytest.approx(1)
    assert cosine(pool(grid)[:half], red[:half]) < 0.8
    assert np.linalg.norm(pool(grid)) == pytest.approx(1)


def test_an_empty_mask_pools_to_zero() -> None:
    grid = describe_patches(plain((9, 9, 9)), 8)
    assert not pool(grid, np.zeros((32, 48), bool)).any()


def test_coverage_counts_pixels_also_of_small_masks() -> None:
    mask = np.zeros((32, 48), bool)
    mask[:8, :4] = True
    assert coverage(mask, 4, 6)[0, 0] == pytest.approx(0.5)
    assert coverage(np.array([[True, False]]), 4, 6)[:, :3].min() == 1


def test_cosine_and_unit_against_numpy() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(5, 7)), rng.normal(size=(5, 7))
    expected = [x @ y / np.linalg.norm(x) / np.linalg.norm(y) for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(cosine(a, b), expected, atol=1e-12)
    np.testing.assert_allclose(unit(a), a / np.linalg.norm(a, axis=1, keepdims=True), atol=1e-6)
    assert cosine(np.zeros(3), np.ones(3)) == 0


def test_small_shifts_change_little() -> None:
    noise = np.random.default_rng(1).normal(size=(64, 96, 3)).astype(np.float32)
    smooth = cv2.GaussianBlur(noise, (0, 0), 3)
    image = np.clip(128 + 40 * smooth / smooth.std(), 0, 255).astype(np.uint8)
    moved = np.roll(image, 1, axis=1)
    assert cosine(describe_patches(image, 8), describe_patches(moved, 8)).mean() > 0.97


def _shares(position: float, centres: int) -> dict[int, float]:
    """A place in [-1, 1] between evenly spread centres: the two neighbours share it."""
    place = (min(1.0, max(-1.0, position)) + 1) / 2 * (centres - 1)
    low = min(int(place), centres - 2)
    return {low: 1 - (place - low), low + 1: place - low}


@pytest.mark.parametrize("colour", [(200, 30, 30), (30, 200, 90), (10, 20, 250), (255, 255, 255), (0, 0, 0), (5, 9, 2)])
def test_the_colour_of_a_patch_is_shared_between_the_nearest_centres(colour: tuple[int, int, int]) -> None:
    red, green, blue = colour
    total = sum(colour)
    first = _shares((red - green) / (total + 30) / 0.5, 5)
    second = _shares(((red + green) / 2 - blue) / (total + 30) / 0.5, 5)
    light = _shares(total / 765 * 2 - 1, 3)
    expected = np.zeros((5, 5, 3))
    for (i, a), (j, b), (k, c) in itertools.product(first.items(), second.items(), light.items()):
        expected[i, j, k] = a * b * c
    found = describe_patches(plain(colour), 8)[1, 2, :75]
    # The root of the shares, scaled so that colours are half of the whole.
    np.testing.assert_allclose(found, np.sqrt(expected.ravel() / expected.sum() * 0.5), atol=2e-3)


def test_edges_are_told_by_direction_at_two_scales() -> None:
    """A ramp of three grey levels per pixel: its strength stands in the bin of its direction, beside the flatness."""
    y, x = np.mgrid[:64, :64]
    for direction, ramp in ((0, x), (4, y)):
        image = np.repeat((ramp * 3)[..., None], 3, 2).astype(np.uint8)
        edges = describe_patches(image, 8)[4, 4, 75:]
        expected = np.zeros(17)
        expected[[direction, 8 + direction]], expected[16] = 3.0, 8.0
        np.testing.assert_allclose(edges, np.sqrt(expected / expected.sum() * 0.5), atol=5e-3)
    image = np.repeat(((x + y) * 2)[..., None], 3, 2).astype(np.uint8)
    assert describe_patches(image, 8)[4, 4, 75:91].argmax() == 2
