"""Power of a paired comparison against a simulation of the test itself, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from worldgauge.core.errors import WorldGaugeError
from worldgauge.stats.power import detectable_difference, paired_power, units_needed


@pytest.mark.parametrize(("difference", "units", "level"), [(0.7, 8, 0.05), (-0.7, 8, 0.05), (0.3, 30, 0.2)])
def test_power_is_how_often_the_t_test_notices(difference: float, units: int, level: float) -> None:
    samples = np.random.default_rng(0).normal(2 * difference, 2.0, size=(20_000, units))
    noticed = np.mean(stats.ttest_1samp(samples, 0, axis=1).pvalue < level)
    assert paired_power(2 * difference, 2.0, units, level) == pytest.approx(noticed, abs=0.01)


def test_far_from_zero_power_is_one() -> None:
    assert paired_power(100.0, 1.0, 10) == pytest.approx(1.0)


def test_without_spread_any_difference_shows_and_none_does_by_chance_alone() -> None:
    assert paired_power(0.1, 0.0, 5) == 1.0
    assert paired_power(0.0, 0.0, 5, level=0.2) == 0.2
    assert detectable_difference(0.0, 5) == 0.0


@pytest.mark.parametrize("spread", [0.001, 1.0, 50.0])
def test_what_is_detectable_scales_with_the_spread(spread: float) -> None:
    found = detectable_difference(spread, 12, power=0.9, level=0.1)
    assert paired_power(found, spread, 12, 0.1) == pytest.approx(0.9)
    assert found == pytest.approx(spread * detectable_difference(1.0, 12, power=0.9, level=0.1))


@pytest.mark.parametrize(("difference", "power"), [(5.0, 0.8), (1.0, 0.5), (0.7, 0.95), (30.0, 0.8)])
def test_the_units_needed_are_the_fewest(difference: float, power: float) -> None:
    units = units_needed(difference, 2.0, power)
    assert paired_power(difference, 2.0, units) >= power
    assert units == 2 or paired_power(difference, 2.0, units - 1) < power


@pytest.mark.parametrize(
    ("spread", "units", "level", "words"),
    [
        (1.0, 1, 0.05, "at least 2 units"),
        (-0.1, 5, 0.05, "finite and not negative"),
        (math.inf, 5, 0.05, "finite and not negative"),
        (1.0, 5, 0.0, "0 and 1"),
        (1.0, 5, 1.0, "0 and 1"),
    ],
)
def test_nonsense_is_refused_everywhere(spread: float, units: int, level: float, words: str) -> None:
    with pytest.raises(WorldGaugeError, match=words):
        paired_power(1.0, spread, units, level)
    with pytest.raises(WorldGaugeError, match=words):
        detectable_difference(spread, units, level=level)


def test_too_few_units_are_refused_even_without_spread() -> None:
    with pytest.raises(WorldGaugeError, match="at least 2 units"):
        detectable_difference(0.0, 1)


def test_power_lies_above_the_level_and_a_difference_of_zero_never_shows() -> None:
    assert detectable_difference(1.0, 2, power=0.5) > 0
    for power in (0.05, 1.0):
        with pytest.raises(WorldGaugeError, match="power lies between"):
            detectable_difference(1.0, 9, power=power)
    with pytest.raises(WorldGaugeError, match="difference of zero"):
        units_needed(0.0, 1.0)
