"""Gram statistics: closed forms, and what they must and must not notice."""

import cv2
import numpy as np
import pytest

from worldgauge.functional.style import filter_bank, gram, gram_distance, gram_size


def texture(seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(size=(96, 128, 3)).astype(np.float32)
    smooth = cv2.GaussianBlur(noise, (0, 0), 2)
    return np.clip(128 + 40 * smooth / smooth.std(), 0, 255).astype(np.uint8)


def grams(image: np.ndarray) -> list[np.ndarray]:
    return [gram(responses) for responses in filter_bank(image)]


def test_gram_is_the_mean_outer_product() -> None:
    responses = np.random.default_rng(0).normal(size=(3, 4, 5)).astype(np.float32)
    expected = np.mean([np.outer(v, v) for v in responses.reshape(-1, 5)], axis=0)
    np.testing.assert_allclose(gram(responses), expected, rtol=1e-5)


def test_gram_forgets_where_things_are() -> None:
    responses = np.random.default_rng(0).normal(size=(6, 6, 4)).astype(np.float32)
    shuffled = np.random.default_rng(1).permutation(responses.reshape(-1, 4)).reshape(6, 6, 4)
    np.testing.assert_allclose(gram(responses), gram(shuffled), rtol=1e-4)


def test_distance_is_zero_to_oneself_and_frobenius_otherwise() -> None:
    first, second = [np.eye(2, dtype=np.float32)], [np.zeros((2, 2), np.float32)]
    assert gram_distance(first, first)[0] == 0
    assert gram_distance(first, second)[0] == pytest.approx(np.sqrt(2))
    assert gram_size(first)[0] == pytest.approx(np.sqrt(2))


def test_a_flat_picture_answers_with_values_only() -> None:
    for responses in filter_bank(np.full((64, 64, 3), 51, np.uint8)):
        np.testing.assert_allclose(responses[..., 0], 0.2, atol=1e-5)
        assert np.abs(responses[..., 1:]).max() < 1e-5


def test_another_texture_is_nearer_than_another_style() -> None:
    """Same statistics in other places move the Gram matrices less than a posterised or tinted version does."""
    base = grams(texture(0))
    other = gram_distance(base, grams(texture(1))).sum()
    posterised = gram_distance(base, grams((texture(0) // 86 * 86).astype(np.uint8))).sum()
    tinted = gram_distance(base, grams((texture(0) * np.array([1, 0.8, 0.5])).astype(np.uint8))).sum()
    assert other < posterised / 2 and other < tinted / 2


def test_tiny_pictures_have_fewer_layers() -> None:
    assert len(filter_bank(np.zeros((10, 10, 3), np.uint8))) == 2
