"""Who is first and second in a column, and which ranks are possible: one rule for the tables and the page."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Literal

Place = Literal["best", "second"]
Ranks = tuple[int, int]
"""The first and the last rank that a score can have; equal where nothing is open."""


CONSTANT = "constant answer"
"""What a row stands for that is no run: answers that pay no heed to the clips."""


def contestants(baselines: Sequence[str]) -> list[int]:
    """Rows that compete: the models under test, or all baselines where there is nothing else; never constant answers.

    >>> contestants(["oracle", "", ""]), contestants(["oracle", "frozen", CONSTANT])
    ([1, 2], [0, 1])
    """
    runs = [k for k, baseline in enumerate(baselines) if baseline != CONSTANT]
    return [k for k in runs if not baselines[k]] or runs


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


def possible_ranks(ends: Mapping[int, tuple[float, float] | None], higher_is_better: bool | None) -> dict[int, Ranks]:
    """Row to the ranks it can have, from the lowest and the highest that each score could be.

    A rank is one more than the number of scores that are better. Rows without a score have none and take none from
    others; as with places, nobody has a rank alone or where no way is better.

    >>> possible_ranks({0: (3.0, 9.0), 1: (5.0, 5.0), 2: (1.0, 1.0), 3: None}, True)
    {0: (1, 2), 1: (1, 2), 2: (3, 3)}
    """
    known = {row: pair for row, pair in ends.items() if pair is not None}
    if higher_is_better is None or len(known) < 2:
        return {}
    # As if larger were better: from the worst end to the best.
    turned = {row: (low, high) if higher_is_better else (-high, -low) for row, (low, high) in known.items()}
    worst, best = (sorted(pair[end] for pair in turned.values()) for end in (0, 1))
    return {
        row: (
            1 + len(worst) - bisect_right(worst, high),
            1 + len(best) - bisect_right(best, low) - (high > low),
        )
        for row, (low, high) in turned.items()
    }


def ranks_in_words(ranks: Ranks | None, dash: str = "-") -> str:
    """`1-3`; nothing where the rank is certain.

    >>> ranks_in_words((1, 3)), ranks_in_words((2, 2))
    ('1-3', '')
    """
    return "" if ranks is None or ranks[0] == ranks[1] else f"{ranks[0]}{dash}{ranks[1]}"
