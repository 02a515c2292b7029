"""Cluster bootstrap: intervals that respect that cases of one scene resemble each other.

The default interval is the percentile interval: it never leaves the range of the scores, and it carries over to any
function of the metrics (a weighted tree, a difference) by applying that function to the replicates. `bca_interval`
corrects bias and skewness and is used where it is asked for.
"""

from __future__ import annotations

from math import isfinite, sqrt

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError

Floats = NDArray[np.float64]
Interval = tuple[float, float]

_DRAWS_AT_ONCE = 1_000_000
"""Draws held in memory; the result does not depend on it."""


def cluster_replicates(
    values: Floats,
    clusters: NDArray[np.integer],
    replicates: int = 1000,
    seed: int = 0,
    weights: Floats | None = None,
) -> Floats:
    """Means of M metrics over N cases in R resamples of whole clusters: (M, N), (N,) -> (M, R).

    A replicate draws as many clusters as there are, with replacement, the same ones for every metric, and takes the
    mean over all their cases. So a weighted group of metrics is `weights @ replicates`. NaN in `values` means absent;
    NaN in the result means that a replicate drew no value. A metric with values in fewer than two clusters says
    nothing about the spread between clusters: all its replicates are NaN. With `weights` (M, N) means are weighted.

    >>> cluster_replicates(np.array([[1.0, 1.0, 1.0]]), np.array([0, 1, 1]), replicates=2)
    array([[1., 1.]])
    """
    sums, counts = cluster_sums(values, clusters, weights)
    metrics, number = sums.shape
    result = np.full((metrics, replicates), np.nan)
    if number < 2:
        return result
    totals = np.concatenate([sums, counts]).T
    random = np.random.default_rng(seed)
    step = max(1, _DRAWS_AT_ONCE // number)
    for first in range(0, replicates, step):
        size = min(step, replicates - first)
        drawn = random.integers(0, number, size=(size, number))
        drawn += np.arange(size)[:, None] * number
        times = np.bincount(drawn.ravel(), minlength=size * number).reshape(size, number)
        of_replicate = times @ totals
        total, count = of_replicate[:, :metrics], of_replicate[:, metrics:]
        result[:, first : first + size] = np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0).T
    result[(counts > 0).sum(axis=1) < 2] = np.nan
    return result


def cluster_jackknife(values: Floats, clusters: NDArray[np.integer]) -> Floats:
    """Means of M metrics with each of the C clusters left out in turn: (M, N), (N,) -> (M, C). NaN: nothing left.

    >>> cluster_jackknife(np.array([[1.0, 2.0, 6.0]]), np.array([0, 1, 2]))
    array([[4. , 3.5, 1.5]])
    """
    sums, counts = cluster_sums(values, clusters)
    total = sums.sum(axis=1, keepdims=True) - sums
    count = counts.sum(axis=1, keepdims=True) - counts
    means: Floats = np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)
    return means


def percentile_interval(replicates: Floats, level: float = 0.95, clusters: int | None = None) -> Interval | None:
    """The central `level` of the finite replicates (R,), or None when there are none.

    With the number of `clusters` the quantiles move outward by the ratio of Student's t to the normal quantile
    (the expanded percentile interval), which matters below about 30 clusters; None for fewer than 2 clusters.

    >>> percentile_interval(np.arange(101.0), level=0.5)
    (25.0, 75.0)
    """
    finite = _finite(replicates)
    if finite.size == 0 or (clusters is not None and clusters < 2):
        return None
    tail = (1 - _checked(level)) / 2
    if clusters is not None:
        tail = _expanded_tail(tail, clusters)
    low, high = np.quantile(finite, [tail, 1 - tail])
    return float(low), float(high)


def bca_interval(replicates: Floats, estimate: float, jackknife: Floats, level: float = 0.95) -> Interval | None:
    """Bias-corrected and accelerated interval from replicates (R,), the estimate and its jackknife values (C,).

    None when there are no finite replicates, fewer than two jackknife values, or no spread to correct.
    """
    from scipy.stats import norm

    finite, left_out = _finite(replicates), _finite(jackknife)
    if finite.size == 0 or left_out.size < 2 or not isfinite(estimate):
        return None
    if finite.min() == finite.max():
        return float(finite[0]), float(finite[0])
    # Ties count half, so that a symmetric discrete distribution has no bias.
    below = (np.count_nonzero(finite < estimate) + 0.5 * np.count_nonzero(finite == estimate)) / finite.size
    if not 0 < below < 1:
        return None
    bias = norm.ppf(below)
    away = left_out.mean() - left_out
    spread = np.sum(away**2) ** 1.5
    acceleration = np.sum(away**3) / (6 * spread) if spread > 0 else 0.0
    tail = (1 - _checked(level)) / 2
    z = bias + norm.ppf([tail, 1 - tail])
    ends = np.quantile(finite, np.asarray(norm.cdf(bias + z / (1 - acceleration * z))))
    return float(ends[0]), float(ends[1])


def cluster_sums(values: Floats, clusters: NDArray[np.integer], weights: Floats | None = None) -> tuple[Floats, Floats]:
    """Sum and number of the present values of M metrics in each of C clusters: twice (M, C).

    With `weights` (M, N) the sums of weighted values and of weights.
    """
    values = np.asarray(values, dtype=np.float64)
    codes = np.asarray(clusters)
    if values.ndim != 2 or codes.shape != values.shape[1:]:
        raise WorldGaugeError(f"values must be (M, N) and clusters (N,), got {values.shape} and {codes.shape}")
    # Codes may have gaps; a cluster nobody belongs to must not be drawn.
    names, codes = np.unique(codes, return_inverse=True)
    present = np.isfinite(values).astype(np.float64) if weights is None else np.where(np.isfinite(values), weights, 0.0)
    filled = np.where(np.isfinite(values), values, 0.0) * present
    sums = [np.bincount(codes, row, minlength=len(names)) for row in filled]
    counts = [np.bincount(codes, row, minlength=len(names)) for row in present]
    shape = (len(values), len(names))
    return np.array(sums, dtype=np.float64).reshape(shape), np.array(counts, dtype=np.float64).reshape(shape)


def _expanded_tail(tail: float, clusters: int) -> float:
    # scipy.special, not scipy.stats: every summary comes through here, and the latter takes half a second to import.
    from scipy.special import ndtr, stdtrit

    return float(ndtr(sqrt(clusters / (clusters - 1)) * stdtrit(clusters - 1, tail)))


def _finite(numbers: Floats) -> Floats:
    numbers = np.asarray(numbers, dtype=np.float64)
    if numbers.ndim != 1:
        raise WorldGaugeError(f"expected one row of numbers, got shape {numbers.shape}")
    return numbers[np.isfinite(numbers)]


def _checked(level: float) -> float:
    if not 0 < level < 1:
        raise WorldGaugeError(f"the level of an interval lies between 0 and 1, got {level}")
    return level
