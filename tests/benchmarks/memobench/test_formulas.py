"""Identity, depth consistency, smoothness and reappearance against straight-line re-computation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from worldgauge.benchmarks.memobench.formulas.depth_consistency import depth_similarity, released_geometry
from worldgauge.benchmarks.memobench.formulas.patches import place_similarities, top_patch_agreement
from worldgauge.benchmarks.memobench.formulas.reappearance import absence, reappearance, reappearance_after_absence
from worldgauge.benchmarks.memobench.formulas.smoothness import (
    forward_sampled_error,
    paper_smoothness,
    released_phase,
    released_smoothness,
)

RNG = np.random.default_rng(0)


def test_top_patches_equal_a_loop() -> None:
    tokens = RNG.normal(size=(5, 37, 6))
    means, minima = [], []
    for frame in tokens[1:]:
        cosines = [max(0.0, a @ b / math.sqrt(a @ a) / math.sqrt(b @ b)) for a, b in zip(tokens[0], frame, strict=True)]
        top = sorted(cosines, reverse=True)[: int(37 * 0.4)]
        means.append(sum(top) / len(top))
        minima.append(top[-1])
    agreement = top_patch_agreement(place_similarities(tokens[0], tokens[1:]))
    assert agreement.mean == pytest.approx(sum(means) / 4, abs=1e-6)
    assert agreement.minimum == pytest.approx(min(minima), abs=1e-6)


def test_depth_similarity_equals_a_loop_and_ignores_scale_and_offset() -> None:
    a, b = RNG.uniform(1, 9, (2, 7, 5))
    stretched = [(d - d.min()) / (d.max() - d.min()) for d in (a, b)]
    expected = sum(x * y for x, y in zip(stretched[0].flat, stretched[1].flat, strict=True))
    expected /= math.sqrt((stretched[0] ** 2).sum() * (stretched[1] ** 2).sum())
    assert depth_similarity(a, b) == pytest.approx(expected, abs=1e-6)
    assert depth_similarity(3 * a + 2, b) == pytest.approx(expected, abs=1e-5)


def test_released_geometry_rounds_in_two_steps_and_scores_a_missing_phase_zero() -> None:
    assert released_geometry([0.99996, 0.9], [0.5, 0.5]) == (0.725, 0.5)
    assert released_geometry([1.0], []) == (0.5, 0.0)


def test_warp_error_equals_a_loop() -> None:
    image, following = RNG.integers(0, 256, (2, 6, 8, 3), np.uint8)
    flow = RNG.normal(0, 2, (6, 8, 2)).astype(np.float32)
    total = 0.0
    for y in range(6):
        for x in range(8):
            sx, sy = min(max(x + flow[y, x, 0], 0), 7), min(max(y + flow[y, x, 1], 0), 5)
            x0, y0 = min(int(sx), 6), min(int(sy), 4)
            fx, fy = sx - x0, sy - y0
            corners = image[y0 : y0 + 2, x0 : x0 + 2].astype(float)
            weights = np.array([[(1 - fy) * (1 - fx), (1 - fy) * fx], [fy * (1 - fx), fy * fx]])
            total += np.abs((weights[..., None] * corners).sum(axis=(0, 1)) - following[y, x]).sum()
    assert forward_sampled_error(image, following, flow) == pytest.approx(total / (6 * 8 * 3 * 255), abs=1e-6)


def test_released_smoothness_means_phases_and_paper_means_errors() -> None:
    visible, back = [0.0, 0.0, 0.0], [0.3]
    assert released_phase(back, frames_sampled=2) == 0.0
    assert released_smoothness(released_phase(visible, 4), 0.0) == 0.5
    assert released_smoothness(1.0, None) == 1.0
    assert paper_smoothness(visible + back) == pytest.approx(math.exp(-0.075 / 0.15))


def test_reappearance_is_rate_times_confidence() -> None:
    result = reappearance([0.5, None, 0.7, None])
    assert (result.score, result.detection_rate, result.mean_confidence) == pytest.approx((0.3, 0.5, 0.6))
    assert reappearance([]).score == 0.0


def test_an_object_that_never_left_does_not_reappear() -> None:
    always = [0.9] * 10
    assert reappearance(always).score == pytest.approx(0.9)
    assert reappearance_after_absence(always, always) == pytest.approx(0.09)
    assert reappearance_after_absence([None] * 10, always) == pytest.approx(0.9)
    assert absence([None] * 3) == 1.0
