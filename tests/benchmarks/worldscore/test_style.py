"""The NumPy convolutions against SciPy's, and the Gram matrix against its definition."""

import numpy as np
import pytest
from scipy.signal import correlate2d

from worldgauge.benchmarks.worldscore.formulas.style_gram import matrix_distance, matrix_mse
from worldgauge.functional.vgg_style import CHANNELS, gram_matrix, style_features


@pytest.fixture(scope="module")
def layers():
    random = np.random.default_rng(0)
    shapes = [(outputs // 16, max(inputs // 16, 3)) for inputs, outputs in CHANNELS]
    shapes = [(outputs, shapes[i - 1][0] if i else 3) for i, (outputs, _) in enumerate(shapes)]
    return [
        (random.normal(size=(o, i, 3, 3)).astype(np.float32) * 0.2, random.normal(size=o).astype(np.float32))
        for o, i in shapes
    ]


def by_scipy(image, weight, bias):
    return np.stack(
        [
            sum(correlate2d(channel, kernel, mode="same") for channel, kernel in zip(image, kernels, strict=True)) + b
            for kernels, b in zip(weight, bias, strict=True)
        ]
    )


@pytest.mark.parametrize("size", [(19, 23), (8, 600)])
def test_five_convolutions(layers, size):
    image = np.random.default_rng(1).normal(size=(3, *size)).astype(np.float32)
    expected, current = [], image
    for index, (weight, bias) in enumerate(layers):
        if index:
            current = np.maximum(expected[-1], 0)
        if index in (2, 4):
            h, w = current.shape[1] // 2, current.shape[2] // 2
            current = current[:, : 2 * h, : 2 * w].reshape(-1, h, 2, w, 2).max(axis=(2, 4))
        expected.append(by_scipy(current, weight, bias))
    for ours, theirs in zip(style_features(image, layers), expected, strict=True):
        assert ours.shape == theirs.shape
        assert np.abs(ours - theirs).max() < 1e-4 * np.abs(theirs).max()


def test_gram_of_orthogonal_channels():
    features = np.zeros((2, 1, 4), np.float32)
    features[0, 0, 0], features[1, 0, 1] = 2.0, 4.0
    assert gram_matrix(features).tolist() == [[0.5, 0.0], [0.0, 2.0]]
    other = gram_matrix(np.zeros_like(features))
    assert matrix_mse(gram_matrix(features), other) == pytest.approx((0.25 + 4.0) / 4)
    assert matrix_distance(gram_matrix(features), other) == pytest.approx(np.sqrt(0.25 + 4.0))
