"""Paired comparison of two models on the same cases: bootstrap interval and sign-flip permutation test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import WorldGaugeError
from worldgauge.stats.bootstrap import Floats, Interval, cluster_replicates, cluster_sums, percentile_interval

_EXACT_CLUSTERS = 14
"""Up to here all 2^n sign patterns are enumerated, so the p-value has no Monte Carlo error."""


@dataclass(frozen=True)
class PairedComparison:
    """First minus second, over the cases both have a value for."""

    cases: int
    clusters: int
    difference: float | None
    """Mean difference; None when the two share no case."""
    interval: Interval | None
    """Expanded percentile interval over clusters; None for fewer than 2 clusters."""
    p_value: float | None
    """Two-sided sign-flip test over clusters; None for fewer than 2 clusters."""
    first_better: int
    second_better: int
    equal: int


def compare_paired(
    first: Floats,
    second: Floats,
    clusters: NDArray[np.integer],
    *,
    level: float = 0.95,
    replicates: int = 1000,
    permutations: int = 9999,
    seed: int = 0,
) -> PairedComparison:
    """Compare two models case by case: (N,), (N,), (N,) with NaN where a model has no value.

    `first_better` counts larger numbers; the caller turns metrics so that larger is better.

    >>> compare_paired(np.array([3.0, 2.0, np.nan]), np.array([1.0, 1.0, 5.0]), np.array([0, 1, 2])).difference
    1.5
    """
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    shared = np.isfinite(differences)
    differences, codes = differences[shared], np.asarray(clusters)[shared]
    number = len(np.unique(codes))
    if number < 2:
        interval, p_value = None, None
    else:
        drawn = cluster_replicates(differences[None], codes, replicates, seed)[0]
        interval = percentile_interval(drawn, level, clusters=number)
        p_value = sign_flip_test(differences, codes, permutations, seed)
    return PairedComparison(
        cases=len(differences),
        clusters=number,
        difference=float(differences.mean()) if differences.size else None,
        interval=interval,
        p_value=p_value,
        first_better=int(np.count_nonzero(differences > 0)),
        second_better=int(np.count_nonzero(differences < 0)),
        equal=int(np.count_nonzero(differences == 0)),
    )


def sign_flip_test(
    differences: Floats, clusters: NDArray[np.integer], permutations: int = 9999, seed: int = 0
) -> float:
    """Two-sided p-value of the mean difference when the two models are exchangeable within each cluster.

    The sign of a whole cluster is flipped, because cases of one scene are not independent. Exact up to 14 clusters;
    beyond, the observed pattern counts as one of the random ones, so the p-value is never 0 and the test is valid.

    >>> sign_flip_test(np.array([1.0, 2.0, 3.0]), np.array([0, 1, 2]))
    0.25
    """
    return float(sign_flip_tests(np.asarray(differences, dtype=np.float64)[None], clusters, permutations, seed)[0])


def sign_flip_tests(
    differences: Floats, clusters: NDArray[np.integer], permutations: int = 9999, seed: int = 0
) -> Floats:
    """`sign_flip_test` for T rows of differences at once, with the same signs for all: (T, N), (N,) -> (T,).

    NaN means that a case is not shared. A row with differences in fewer than two clusters cannot be tested: NaN.
    """
    if permutations < 1:
        raise WorldGaugeError(f"a permutation test needs at least one permutation, got {permutations}")
    sums, counts = cluster_sums(differences, clusters)
    number = sums.shape[1]
    # Sums of the same numbers in another order differ in the last bits; such a tie counts as as extreme.
    observed = np.abs(sums.sum(axis=1)) - 1e-12 * np.abs(sums).sum(axis=1)
    if number <= _EXACT_CLUSTERS:
        patterns = 2 * (np.arange(2**number)[:, None] >> np.arange(number) & 1) - 1
        p_values = np.mean(np.abs(patterns @ sums.T) >= observed, axis=0)
    else:
        random = np.random.default_rng(seed)
        extreme = np.zeros(len(sums), dtype=np.int64)
        step = max(1, 1_000_000 // number)
        for first in range(0, permutations, step):
            signs = random.integers(0, 2, size=(min(step, permutations - first), number), dtype=np.int8)
            extreme += np.count_nonzero(np.abs((2.0 * signs - 1) @ sums.T) >= observed, axis=0)
        p_values = (1 + extreme) / (1 + permutations)
    return np.where((counts > 0).sum(axis=1) < 2, np.nan, p_values)
