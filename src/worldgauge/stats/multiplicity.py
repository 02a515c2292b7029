"""Several tests at once: Holm's correction, and which models cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjustment: below 0.05 means significant at a family-wise level of 0.05.

    None (no test was possible) stays None and does not count as a test.

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03, 0.005])]
    [0.03, 0.06, 0.06, 0.02]
    """
    tested = [(p, i) for i, p in enumerate(p_values) if p is not None]
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, index) in enumerate(sorted(tested)):
        largest = max(largest, min(1.0, p * (len(tested) - rank)))
        adjusted[index] = largest
    return adjusted


def tie_groups(different: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Maximal sets of models of which no two differ significantly: (K, K) symmetric -> groups, best index first.

    Models are numbered from best to worst. Two models share a group exactly when they are not told apart, so a model
    can stand in two groups: "A and B are tied, B and C are tied, A beats C".

    >>> tie_groups(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    [(0, 1), (1, 2)]
    """
    different = np.asarray(different, dtype=bool)
    groups = [frozenset(range(len(different)))] if len(different) else []
    for first, second in np.argwhere(np.triu(different | different.T, 1)):
        split: list[frozenset[int]] = []
        for group in groups:
            split += [group - {int(first)}, group - {int(second)}] if {first, second} <= group else [group]
        unique = list(dict.fromkeys(split))
        groups = [g for g in unique if not any(g < other for other in unique)]
    return sorted(tuple(sorted(group)) for group in groups)


def rank_ranges(different: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Best and worst defensible rank of each model, numbered from best to worst: (K, K) -> K pairs, from 1.

    >>> rank_ranges(np.array([[0, 0, 1], [0, 0, 1], [1, 1, 0]], dtype=bool))
    [(1, 2), (1, 2), (3, 3)]
    """
    different = np.asarray(different, dtype=bool)
    number = len(different)
    return [(1 + int(different[i, :i].sum()), number - int(different[i, i + 1 :].sum())) for i in range(number)]
