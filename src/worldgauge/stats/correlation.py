"""Correlation, of ranks and of values, from SciPy, with absent pairs left out and "no answer" said plainly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from worldgauge.core.errors import WorldGaugeError
from worldgauge.stats.bootstrap import Floats


@dataclass(frozen=True)
class Correlation:
    """A coefficient in [-1, 1]; None when fewer than 2 pairs remain or one side is constant."""

    coefficient: float | None
    p_value: float | None
    pairs: int


def spearman(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Spearman's rho with mid-ranks for ties.

    >>> round(spearman([1, 2, 3, 4], [1, 3, 2, 4]).coefficient, 12)
    0.8
    """
    from scipy.stats import spearmanr

    return _tested(spearmanr, x, y)


def kendall(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Kendall's tau-b, which accounts for ties.

    >>> round(kendall([1, 2, 3, 4], [1, 3, 2, 4]).coefficient, 6)
    0.666667
    """
    from scipy.stats import kendalltau

    return _tested(kendalltau, x, y)


def pearson(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Pearson's r.

    >>> round(pearson([1, 2, 3], [2, 4, 7]).coefficient, 6)
    0.993399
    """
    from scipy.stats import pearsonr

    return _tested(pearsonr, x, y)


def _tested(test: Callable[[Floats, Floats], Any], x: ArrayLike, y: ArrayLike) -> Correlation:
    """What one of SciPy's tests says of the pairs that are there; nothing where one side is constant."""
    a, b = _pairs(x, y)
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return Correlation(None, None, len(a))
    result = test(a, b)
    p_value = float(result.pvalue)
    # Two pairs always correlate perfectly and test nothing.
    return Correlation(float(result.statistic), p_value if np.isfinite(p_value) else None, len(a))


def _pairs(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise WorldGaugeError(f"a correlation needs two rows of equal length, got {a.shape} and {b.shape}")
    both = np.isfinite(a) & np.isfinite(b)
    return a[both], b[both]
