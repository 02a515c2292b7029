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
    sums, _ = cluster_sums(np.asarray(differences, dtype=np.float64)[None], clusters)
    # A cluster whose sum is zero has the same sum under both signs.
    totals = sums[0][sums[0] != 0]
    # Sums of the same numbers in another order differ in the last bits; such a tie counts as as extreme.
    observed = abs(totals.sum()) - 1e-12 * np.abs(totals).sum()
    if len(totals) <= _EXACT_CLUSTERS:
        patterns = np.arange(2 ** len(totals))[:, None] >> np.arange(len(totals)) & 1
        return float(np.mean(np.abs((2 * patterns - 1) @ totals) >= observed))
    if permutations < 1:
        raise WorldGaugeError(f"a permutation test needs at least one permutation, got {permutations}")
    random = np.random.default_rng(seed)
    extreme = 0
    step = max(1, 1_000_000 // len(totals))
    for first in range(0, permutations, step):
        size = min(step, permutations - first)
        signs = 2 * random.integers(0, 2, size=(size, len(totals)), dtype=np.int8) - 1
        extreme += int(np.count_nonzero(np.abs(signs @ totals) >= observed))
    return (1 + extreme) / (1 + permutations)
