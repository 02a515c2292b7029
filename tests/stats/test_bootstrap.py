import numpy as np
import pytest
from scipy import stats as scipy_stats

from worldgauge.core.errors import WorldGaugeError
from worldgauge.stats import bootstrap
from worldgauge.stats.bootstrap import bca_interval, cluster_jackknife, cluster_replicates, percentile_interval


def plain_replicates(values, clusters, replicates, seed):
    """The same draws, written as the definition: pick clusters, pool their cases, take the mean."""
    random = np.random.default_rng(seed)
    names = np.unique(clusters)
    result = np.full((len(values), replicates), np.nan)
    for r in range(replicates):
        drawn = names[random.integers(0, len(names), size=(1, len(names)))[0]]
        pooled = np.concatenate([np.flatnonzero(clusters == name) for name in drawn])
        for m, row in enumerate(values):
            found = row[pooled][np.isfinite(row[pooled])]
            if found.size:
                result[m, r] = found.mean()
    return result


@pytest.fixture
def sample():
    random = np.random.default_rng(5)
    clusters = random.integers(0, 7, 40) * 3  # codes with gaps
    values = random.normal(size=(3, 40))
    values[1, random.random(40) < 0.6] = np.nan
    return values, clusters


def test_equals_the_definition(sample):
    values, clusters = sample
    fast = cluster_replicates(values, clusters, replicates=50, seed=9)
    np.testing.assert_allclose(fast, plain_replicates(values, clusters, 50, 9), rtol=1e-12)


def test_does_not_depend_on_the_chunk(sample, monkeypatch):
    values, clusters = sample
    whole = cluster_replicates(values, clusters, replicates=60)
    monkeypatch.setattr(bootstrap, "_DRAWS_AT_ONCE", 1)
    np.testing.assert_allclose(whole, cluster_replicates(values, clusters, replicates=60), rtol=1e-12)


def test_metrics_share_the_resample(sample):
    values, clusters = sample
    both = cluster_replicates(np.stack([values[0], 2 * values[0] + 1]), clusters, replicates=30)
    np.testing.assert_allclose(both[1], 2 * both[0] + 1, rtol=1e-12)


def test_seed_decides(sample):
    values, clusters = sample
    again = cluster_replicates(values, clusters, seed=1)
    np.testing.assert_array_equal(again, cluster_replicates(values, clusters, seed=1))
    assert not np.array_equal(again, cluster_replicates(values, clusters, seed=2), equal_nan=True)


def test_spread_is_that_of_cluster_means():
    random = np.random.default_rng(0)
    means = random.normal(size=400)
    replicates = cluster_replicates(np.repeat(means, 5)[None], np.repeat(np.arange(400), 5), replicates=4000)[0]
    assert replicates.std() == pytest.approx(means.std() / 20, rel=0.05)


def test_replicate_without_a_value_is_nan():
    values = np.array([[1.0, 2.0, np.nan, np.nan, np.nan, np.nan]])
    replicates = cluster_replicates(values, np.arange(6), replicates=500)[0]
    absent = np.mean(np.isnan(replicates))
    assert absent == pytest.approx((4 / 6) ** 6, abs=0.04)
    assert percentile_interval(replicates) == (1.0, 2.0)


@pytest.mark.parametrize("clusters", [[0, 0, 0], [0, 1, 1]])
def test_no_interval_for_values_in_one_cluster(clusters):
    values = np.array([[np.nan, 2.0, 3.0]])
    assert percentile_interval(cluster_replicates(values, np.array(clusters))[0]) is None


def test_empty_input_has_no_interval():
    assert percentile_interval(cluster_replicates(np.empty((1, 0)), np.empty(0, dtype=int))[0]) is None


def test_jackknife_leaves_out_whole_clusters(sample):
    values, clusters = sample
    expected = [[np.nanmean(row[clusters != name]) for name in np.unique(clusters)] for row in values]
    np.testing.assert_allclose(cluster_jackknife(values, clusters), expected, rtol=1e-12)


def test_bca_equals_scipy():
    data = np.random.default_rng(2).exponential(size=35)
    theirs = scipy_stats.bootstrap((data,), np.mean, method="BCa", n_resamples=3000, rng=1)
    ours = bca_interval(theirs.bootstrap_distribution, data.mean(), cluster_jackknife(data[None], np.arange(35))[0])
    np.testing.assert_allclose(ours, theirs.confidence_interval, rtol=1e-9)


def test_bca_without_spread_is_a_point():
    assert bca_interval(np.ones(9), 1.0, np.ones(3)) == (1.0, 1.0)
    assert bca_interval(np.array([2.0]), 2.0, np.ones(2)) == (2.0, 2.0)


def test_bca_needs_replicates_and_a_jackknife_and_an_estimate_among_them():
    replicates = np.linspace(0, 1, 50)
    assert bca_interval(np.full(3, np.nan), 0.5, np.ones(3)) is None
    assert bca_interval(replicates, 0.5, np.ones(1)) is None
    assert bca_interval(replicates, np.nan, np.array([0.0, 1.0])) is None
    assert bca_interval(replicates, -1.0, np.array([0.0, 1.0])) is None
    assert bca_interval(replicates, 2.0, np.array([0.0, 1.0])) is None
    # Without acceleration or bias it is the percentile interval.
    assert bca_interval(replicates, 0.5, np.ones(2)) == pytest.approx(percentile_interval(replicates))


def test_expansion_widens_as_student_does():
    replicates = np.random.default_rng(0).normal(size=200_000)
    low, high = percentile_interval(replicates, clusters=8)
    factor = scipy_stats.t.ppf(0.975, 7) * np.sqrt(8 / 7)
    assert (high - low) / 2 == pytest.approx(factor, rel=0.02)
    assert percentile_interval(replicates, clusters=1) is None


@pytest.mark.parametrize("level", [0, 1, 95])
def test_level_is_a_fraction(level):
    with pytest.raises(WorldGaugeError, match="between 0 and 1"):
        percentile_interval(np.arange(5.0), level)


def test_shapes_are_checked():
    with pytest.raises(WorldGaugeError, match="clusters"):
        cluster_replicates(np.zeros((2, 3)), np.zeros(4, dtype=int))


def test_a_weight_counts_like_so_many_equal_cases():
    """A case of weight 3 and three equal cases of its scene give the same replicates, and the same interval."""
    values, clusters, weights = np.array([[1.0, 4.0, np.nan, 9.0, 2.0]]), np.array([0, 0, 1, 1, 2]), [1, 3, 5, 2, 4]
    weighted = cluster_replicates(values, clusters, 200, seed=3, weights=np.array([weights], dtype=float))
    repeated = cluster_replicates(np.repeat(values, weights, axis=1), np.repeat(clusters, weights), 200, seed=3)
    assert weighted == pytest.approx(repeated, nan_ok=True)
    assert weighted != pytest.approx(cluster_replicates(values, clusters, 200, seed=3), nan_ok=True)
