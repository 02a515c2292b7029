"""Fixed stacks: a network always sees the same number of rows, so a row's result does not depend on its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from worldgauge.core.errors import WorldGaugeError


def index_stacks(count: int, size: int) -> Iterator[tuple[list[int], int]]:
    """Row numbers in stacks of exactly `size`, and how many of each stack are rows of their own.

    The last stack is filled by repeating its last row.

    >>> list(index_stacks(5, 3))
    [([0, 1, 2], 3), ([3, 4, 4], 2)]
    """
    if size < 1:
        raise WorldGaugeError(f"a micro-batch of {size} rows", "it has to be at least 1")
    for start in range(0, count, size):
        rows = list(range(start, min(start + size, count)))
        yield rows + rows[-1:] * (size - len(rows)), len(rows)


def in_stacks(call: Callable[..., Any], size: int, *columns: Any) -> Any:
    """`call` on stacks of `size` rows of arrays or tensors of one length, its results (tensors, or tuples of them)
    joined and freed of the filling. `None` where there are no rows.
    """
    import torch

    results = []
    for rows, own in index_stacks(len(columns[0]), size):
        result = call(*(column[rows] for column in columns))
        results.append(tuple(part[:own] for part in result) if isinstance(result, tuple) else result[:own])
    if not results:
        return None
    if isinstance(results[0], tuple):
        return tuple(torch.cat(parts) for parts in zip(*results, strict=True))
    return torch.cat(results)
