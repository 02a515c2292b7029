"""A judge's numbers from 1 to 5 as scores."""

from __future__ import annotations

from typing import Literal

Gate = Literal["gated", "plain_fifths"]


def state_evolution(grade: int) -> float:
    """How far a state has moved on: (s - 1) / 4.

    Source: MBench, 4.4.1.

    >>> state_evolution(1), state_evolution(4)
    (0.0, 0.75)
    """
    return (grade - 1) / 4


def evolution_correctness(state: int, plausibility: int, gate: Gate = "gated") -> float:
    """How plausible the evolution is. `gated`: the state's score times (c - 1) / 4; `plain_fifths`: c / 5.

    The published column is above that of the state in 11 of 14 rows, which a gated score cannot be, and its values for
    action models are multiples of a fifth of a hundredth: it is c / 5.

    Source: MBench, Eq. 14; Table 2.

    >>> evolution_correctness(5, 3), evolution_correctness(1, 5), evolution_correctness(1, 5, "plain_fifths")
    (0.5, 0.0, 1.0)
    """
    if gate == "plain_fifths":
        return plausibility / 5
    return state_evolution(state) * (plausibility - 1) / 4
