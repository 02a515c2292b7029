"""From the judge's answers at the three levels to the interaction score, by both poolings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

FULL = 5.0
PARTS = {
    "chunk": ("visual_quality", "text_alignment"),
    "transition": ("transition_smoothness",),
    "global": ("long_range_consistency", "global_text_alignment"),
}
"""Level to the scores that stand in where its answer has no `overall`."""


def level_value(level: str, answer: Mapping[str, Any]) -> float:
    """The value of one answer, 0 to 5: `overall`, else the mean of its parts. As released what is no number is 0.

    Source: released code at commit bb2e240.

    >>> level_value("chunk", {"visual_quality": 4, "text_alignment": "3"})
    3.5
    """
    if answer.get("overall") is not None:
        return released_number(answer["overall"])
    parts = [released_number(answer.get(name)) for name in PARTS[level]]
    return sum(parts) / len(parts)


def released_number(given: Any) -> float:
    """A number held within [0, 5]; 0 where there is none.

    >>> released_number("3.5"), released_number([3]), released_number(float("nan"))
    (3.5, 0.0, 0.0)
    """
    try:
        number = float(given)
    except (TypeError, ValueError):
        return 0.0
    # In this order, as the original: a NaN is not above 0, so it becomes 0.
    return max(0.0, min(FULL, number)) if number == number else 0.0


@dataclass(frozen=True)
class Levels:
    """Values of a case, 0 to 5; empty or None where a level was not judged."""

    chunks: Sequence[float] = ()
    transitions: Sequence[float] = ()
    whole: float | None = None

    @property
    def chunk_mean(self) -> float | None:
        return _mean(self.chunks)

    @property
    def transition_mean(self) -> float | None:
        return _mean(self.transitions)


def pooled_levels(levels: Levels) -> float | None:
    """Mean of all answers alike, as code and tables have it: the whole clip weighs one in 2T.

    Source: released code at commit bb2e240; arXiv 2606.11129, Tables 9 and 12.

    >>> pooled_levels(Levels((3.0, 4.0), (5.0,), 0.0))
    3.0
    """
    return _mean([*levels.chunks, *levels.transitions, *([] if levels.whole is None else [levels.whole])])


def mean_of_levels(levels: Levels) -> float | None:
    """Mean of the levels, each one third (Eq. 9 and 10); of a clip of one chunk, which has no transition, of two.

    Source: arXiv 2606.11129, Eq. 9 and 10.

    >>> mean_of_levels(Levels((3.0, 4.0), (5.0,), 0.5))
    3.0
    """
    means = (levels.chunk_mean, levels.transition_mean, levels.whole)
    return _mean([value for value in means if value is not None])


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if len(values) else None
