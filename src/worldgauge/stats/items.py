"""How well single questions tell subjects apart: item analysis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from worldgauge.stats.bootstrap import Floats


@dataclass(frozen=True)
class ItemFigures:
    """Of one question over many subjects."""

    passed: float
    """Share of subjects that pass it."""
    subjects: int
    discrimination: float | None
    """Correlation of passing it with the share of the other questions passed; None where either does not vary."""


def item_figures(passes: Floats) -> list[ItemFigures | None]:
    """Figures of each column of (subjects, questions): 1 passed, 0 not, NaN not asked; None where nobody was asked.

    >>> item_figures(np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 1.0]]))[0].discrimination
    1.0
    """
    found: list[ItemFigures | None] = []
    for item in range(passes.shape[1]):
        asked = np.isfinite(passes[:, item])
        if not asked.any():
            found.append(None)
            continue
        own = passes[asked, item]
        others = np.delete(passes[asked], item, axis=1)
        counts = np.isfinite(others).sum(axis=1)
        rest = np.divide(np.nansum(others, axis=1), counts, out=np.full(len(own), np.nan), where=counts > 0)
        known = np.isfinite(rest)
        varies = known.sum() > 1 and np.ptp(own[known]) > 0 and np.ptp(rest[known]) > 0
        figure = round(float(np.corrcoef(own[known], rest[known])[0, 1]), 12) if varies else None
        found.append(ItemFigures(float(own.mean()), int(asked.sum()), figure))
    return found
