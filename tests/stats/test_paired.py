import numpy as np
import pytest
from scipy import stats as scipy_stats

from worldgauge.stats.paired import compare_paired, sign_flip_test, sign_flip_tests
from worldgauge.stats.power import detectable_difference, paired_power, units_needed


def test_exact_test_equals_scipy():
    differences = np.random.default_rng(3).normal(0.4, 1, 9)
    theirs = scipy_stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    assert sign_flip_test(differences, np.arange(9)) == pytest.approx(theirs.pvalue, abs=1e-9)


def test_random_test_approaches_the_exact_one(monkeypatch):
    differences = np.random.default_rng(3).normal(0.4, 1, 12)
    exact = sign_flip_test(differences, np.arange(12))
    monkeypatch.setattr("worldgauge.stats.paired._EXACT_CLUSTERS", 0)
    assert sign_flip_test(differences, np.arange(12), permutations=40_000) == pytest.approx(exact, abs=0.01)


def test_clusters_flip_together():
    # Ten copies of each of three scenes carry the evidence of three, not of thirty.
    differences = np.repeat([1.0, 2.0, 3.0], 10)
    assert sign_flip_test(differences, np.repeat([0, 1, 2], 10)) == 0.25
    assert sign_flip_test(differences, np.arange(30), permutations=999) == 0.001


def test_no_difference_has_p_one():
    assert sign_flip_test(np.zeros(5), np.arange(5)) == 1.0


def test_rows_are_tested_as_if_alone():
    rows = np.random.default_rng(0).normal(0.3, 1, (3, 40))
    rows[1, :39] = np.nan
    clusters = np.repeat(np.arange(20), 2)
    together = sign_flip_tests(rows, clusters, permutations=200)
    assert together[0] == sign_flip_test(rows[0], clusters, permutations=200)
    assert np.isnan(together[1])


def test_comparison_uses_shared_cases_only():
    first = np.array([3.0, 2.0, np.nan, 4.0])
    second = np.array([1.0, 2.0, 9.0, np.nan])
    result = compare_paired(first, second, np.arange(4))
    assert (result.cases, result.difference) == (2, 1.0)
    assert (result.first_better, result.second_better, result.equal) == (1, 0, 1)


def test_one_scene_gives_no_interval():
    result = compare_paired(np.array([2.0, 3.0]), np.array([1.0, 1.0]), np.zeros(2, dtype=int))
    assert (result.difference, result.interval, result.p_value) == (1.5, None, None)


def test_nothing_in_common():
    result = compare_paired(np.array([np.nan]), np.array([1.0]), np.zeros(1, dtype=int))
    assert (result.cases, result.difference, result.interval) == (0, None, None)


def test_order_only_changes_the_sign():
    random = np.random.default_rng(1)
    a, b, clusters = random.normal(size=30), random.normal(size=30), np.repeat(np.arange(10), 3)
    forward, back = compare_paired(a, b, clusters), compare_paired(b, a, clusters)
    assert forward.difference == pytest.approx(-back.difference)
    assert forward.interval == pytest.approx((-back.interval[1], -back.interval[0]))
    assert forward.p_value == back.p_value


def test_power_equals_the_published_example():
    # The pwr package's manual: one-sample t test, d = 0.2, n = 60, level 0.10, two-sided.
    assert paired_power(0.2, 1.0, 60, level=0.10) == pytest.approx(0.4555818, abs=5e-8)


def test_power_of_no_difference_is_the_level():
    assert paired_power(0.0, 1.0, 20) == pytest.approx(0.05, abs=1e-9)


def test_detectable_difference_has_that_power():
    assert paired_power(detectable_difference(7.0, 40, power=0.9), 7.0, 40) == pytest.approx(0.9, abs=1e-9)
    assert paired_power(1e6, 1.0, 40) == pytest.approx(1.0)


def test_units_needed_is_the_smallest():
    n = units_needed(3.0, 7.0)
    assert paired_power(3.0, 7.0, n) >= 0.8 > paired_power(3.0, 7.0, n - 1)
