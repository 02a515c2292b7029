"""Agreement between raters beyond chance: Cohen's kappa, Fleiss' kappa, Krippendorff's alpha.

None stands for "undefined": everybody used one category, so chance alone explains full agreement.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from worldgauge.core.errors import WorldGaugeError
from worldgauge.stats.bootstrap import Floats

Level = Literal["nominal", "ordinal", "interval", "ratio"]


def cohen_kappa(table: ArrayLike, weights: Literal["none", "linear", "quadratic"] = "none") -> float | None:
    """Agreement of two raters from their (K, K) table of counts, first rater by row, categories in order.

    >>> round(cohen_kappa([[20, 5], [10, 15]]), 12)
    0.4
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or counts.sum() <= 0:
        raise WorldGaugeError(f"Cohen's kappa needs a square table with counts, got shape {counts.shape}")
    share = counts / counts.sum()
    expected = np.outer(share.sum(axis=1), share.sum(axis=0))
    apart = np.abs(np.subtract.outer(np.arange(len(counts)), np.arange(len(counts)))).astype(np.float64)
    penalty = {"none": (apart > 0).astype(np.float64), "linear": apart, "quadratic": apart**2}[weights]
    return _chance_corrected(float((penalty * share).sum()), float((penalty * expected).sum()))


def confusion(first: ArrayLike, second: ArrayLike) -> tuple[list[str], Floats]:
    """The table `cohen_kappa` needs, from two lists of labels: sorted categories and (K, K) counts."""
    a, b = np.asarray(first, dtype=str), np.asarray(second, dtype=str)
    if a.ndim != 1 or a.shape != b.shape:
        raise WorldGaugeError(f"two raters need equally many labels, got {a.shape} and {b.shape}")
    categories, codes = np.unique(np.concatenate([a, b]), return_inverse=True)
    table = np.zeros((len(categories), len(categories)))
    np.add.at(table, (codes[: len(a)], codes[len(a) :]), 1)
    return [str(c) for c in categories], table


def fleiss_kappa(table: ArrayLike) -> float | None:
    """Agreement of n raters from (items, categories) counts; every item has the same number of ratings.

    >>> fleiss_kappa([[2, 0], [0, 2]])
    1.0
    """
    counts = np.asarray(table, dtype=np.float64)
    raters = counts.sum(axis=1) if counts.ndim == 2 else np.empty(0)
    if raters.size == 0 or raters[0] < 2 or not np.all(raters == raters[0]):
        raise WorldGaugeError(
            "Fleiss' kappa needs the same number of ratings, at least 2, for every item",
            "use Krippendorff's alpha where ratings are missing",
        )
    n = raters[0]
    agreement = ((counts**2).sum(axis=1) - n) / (n * (n - 1))
    shares = counts.sum(axis=0) / counts.sum()
    return _chance_corrected(1 - float(agreement.mean()), 1 - float((shares**2).sum()))


def krippendorff_alpha(ratings: ArrayLike, level: Level = "nominal") -> float | None:
    """Agreement of any number of raters with gaps: (raters, units), NaN where a rater skipped a unit.

    Units with fewer than two ratings say nothing about agreement and are left out.

    >>> krippendorff_alpha([[1, 2, 1], [1, 2, 1]])
    1.0
    """
    data = np.asarray(ratings, dtype=np.float64)
    if data.ndim != 2:
        raise WorldGaugeError(f"ratings must be (raters, units), got shape {data.shape}")
    present = np.isfinite(data)
    values, codes = np.unique(data[present], return_inverse=True)
    counts = np.zeros((data.shape[1], len(values)))
    np.add.at(counts, (np.nonzero(present)[1], codes), 1)
    counts = counts[counts.sum(axis=1) >= 2]
    if len(counts) == 0:
        return None
    pairable = counts.sum(axis=1)
    # Each unit adds its ordered pairs of ratings, weighted so that every rating counts once.
    scaled = counts / (pairable - 1)[:, None]
    coincidence = scaled.T @ counts - np.diag(scaled.sum(axis=0))
    totals = counts.sum(axis=0)
    expected = (np.outer(totals, totals) - np.diag(totals)) / (totals.sum() - 1)
    distance = _squared_distance(values, totals, level)
    return _chance_corrected(float((distance * coincidence).sum()), float((distance * expected).sum()))


def _squared_distance(values: Floats, totals: Floats, level: Level) -> Floats:
    """Krippendorff's difference functions, (V, V)."""
    if level == "nominal":
        return 1 - np.eye(len(values))
    if level == "ordinal":
        # Number of ratings from one category to the other, both ends counted half.
        positions = np.cumsum(totals) - totals / 2
        return np.asarray(np.subtract.outer(positions, positions) ** 2)
    squared = np.asarray(np.subtract.outer(values, values) ** 2)
    if level == "interval":
        return squared
    if values.min() < 0:
        raise WorldGaugeError("ratio-scaled ratings cannot be negative", "use the interval level")
    sums = np.add.outer(values, values)
    relative: Floats = np.divide(squared, sums**2, out=np.zeros_like(squared), where=sums > 0)
    return relative


def _chance_corrected(observed: float, expected: float) -> float | None:
    """1 - observed / expected disagreement."""
    return None if expected <= 0 else 1 - observed / expected
