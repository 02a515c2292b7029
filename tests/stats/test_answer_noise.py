"""The judge's share of the spread between models, against closed forms and against draws of known variances."""

from __future__ import annotations

import numpy as np
import pytest

from worldgauge.stats.answer_noise import answer_noise


@pytest.mark.parametrize(("swing", "cases", "means"), [(0.1, 4, (0.2, 0.8)), (0.3, 9, (0.5, 0.4, 0.9))])
def test_closed_form(swing: float, cases: int, means: tuple[float, ...]) -> None:
    """Two times, above and below each mean by the same: the variance of a case's mean is the swing's square."""
    models = [np.tile([mean - swing, mean + swing], (cases, 1)) for mean in means]
    found = answer_noise(models)
    assert found is not None
    spread = float(np.var(means, ddof=1))
    assert found.noise**2 == pytest.approx(swing**2 / cases)
    assert found.noise_once**2 == pytest.approx(2 * swing**2 / cases)
    assert found.spread == pytest.approx(spread**0.5)
    assert found.share == pytest.approx(min(1, swing**2 / cases / spread))
    assert found.share_once == pytest.approx(min(1, 2 * swing**2 / cases / (spread + swing**2 / cases)))


def test_a_judge_that_never_wavers_has_no_noise_and_one_answer_tells_nothing() -> None:
    steady = answer_noise([np.full((5, 3), 0.2), np.full((5, 3), 0.7)])
    assert steady is not None and steady.noise < 1e-12 and steady.share is not None and steady.share < 1e-12
    assert answer_noise([np.full((5, 1), 0.2)]) is None
    alone = answer_noise([np.array([[0.0, 1.0], [np.nan, 1.0], [np.nan, np.nan]])])
    assert alone is not None and alone.spread is None and alone.share is None
    # The case that was asked about once counts as noisy as the other: 2 / 1 * (0.5 / 2) / 2^2.
    assert alone.noise**2 == pytest.approx(0.125)


def test_the_share_is_that_of_the_draws() -> None:
    """Twenty models apart by 0.05, a judge that is wrong by 0.3 each time, 30 cases, 4 times."""
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(60):
        true = 0.5 + rng.normal(0, 0.05, 20)
        models = [mean + rng.normal(0, 0.3, (30, 4)) for mean in true]
        found = answer_noise(models)
        assert found is not None and found.share is not None
        shares.append(found.noise**2 / (found.spread or 1) ** 2)
    noise = 0.3**2 / 4 / 30
    assert 1 / np.mean(1 / np.array(shares)) == pytest.approx(noise / (noise + 0.05**2), rel=0.1)
