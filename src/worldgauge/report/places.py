"""Who is first and second in a column: one rule for the tables and the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

Place = Literal["best", "second"]


def contestants(baselines: Sequence[str]) -> list[int]:
    """Rows that compete: the models under test, or all of them where there are only baselines.

    >>> contestants(["oracle", "", ""]), contestants(["oracle", "frozen"])
    ([1, 2], [0, 1])
    """
    return [k for k, baseline in enumerate(baselines) if not baseline] or list(range(len(baselines)))


def places(values: Mapping[int, float | None], higher_is_better: bool | None) -> dict[int, Place]:
    """Row to its place. Equal values share one; a row alone has none, nor has a column without a better direction.

    >>> places({0: 3.0, 1: 5.0, 2: 5.0, 3: None}, True)
    {1: 'best', 2: 'best', 0: 'second'}
    """
    known = {row: value for row, value in values.items() if value is not None}
    if higher_is_better is None or len(known) < 2:
        return {}
    first_two: Sequence[Place] = ("best", "second")
    ranked = zip(sorted(set(known.values()), reverse=higher_is_better), first_two, strict=False)
    return {row: place for value, place in ranked for row in known if known[row] == value}
