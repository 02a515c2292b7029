"""Frames in stacks: every instrument is handed the same number of rows at a time, so a long clip is never one array."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Column = Sequence[Any] | NDArray[Any]
"""Frames, or what belongs to each of them."""


class InStacks(Protocol):
    """What every instrument offers."""

    def micro_batch(self, width: int, height: int) -> int:
        """Frames of this size it is handed at a time."""


def in_stacks(instrument: InStacks, call: Callable[..., Any], *columns: Column) -> list[Any]:
    """What `call` answers for each row: all that `rows_in_stacks` gives.

    >>> class Means:
    ...     def micro_batch(self, width, height):
    ...         return 2
    ...     def means(self, frames):
    ...         print(len(frames), "frames")
    ...         return frames.mean((1, 2, 3))
    >>> len(in_stacks(Means(), Means().means, np.zeros((3, 4, 4, 3), np.uint8)))
    2 frames
    1 frames
    3
    """
    return list(rows_in_stacks(instrument, call, *columns))


def rows_in_stacks(instrument: InStacks, call: Callable[..., Any], *columns: Column) -> Iterator[Any]:
    """What `call` answers for each row, stack by stack. It is given stacks of the instrument's own size: frames
    (n, H, W, 3), and what belongs to them, such as texts, as lists. The first column are frames.

    The frames of a column are of one size. An answer is an array or a list with a row per frame, or a tuple or a
    mapping of these; a row's part of it is what is given for the row. An instrument that takes rows is given all of
    them at once, frames as a list of arrays: nothing is copied, and it makes its stacks itself.
    """
    if len(columns[0]) and getattr(instrument, "takes_rows", False):
        yield from _rows(call(*(list(column) for column in columns)))
    elif len(columns[0]):
        height, width = columns[0][0].shape[:2]
        for stacks in _stacks(columns, max(1, instrument.micro_batch(width, height))):
            yield from _rows(call(*stacks))


def _stacks(columns: Sequence[Column], size: int) -> Iterator[list[Any]]:
    for start in range(0, len(columns[0]), size):
        numbers = range(start, min(start + size, len(columns[0])))
        yield [_stack([column[k] for k in numbers]) for column in columns]


def _stack(rows: list[Any]) -> Any:
    if not isinstance(rows[0], np.ndarray):
        return rows
    # A single frame need not be copied.
    return rows[0][None] if len(rows) == 1 else np.stack(rows)


def _rows(answer: Any) -> list[Any]:
    """
    >>> _rows({"a": [1, 2], "b": [3, 4]}), _rows(([1, 2], "xy"))
    ([{'a': 1, 'b': 3}, {'a': 2, 'b': 4}], [(1, 'x'), (2, 'y')])
    """
    if isinstance(answer, Mapping):
        return [dict(zip(answer, row, strict=True)) for row in zip(*answer.values(), strict=True)]
    return list(zip(*answer, strict=True)) if isinstance(answer, tuple) else list(answer)
