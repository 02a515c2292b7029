"""Which source clips are taken: long enough, and a challenge to memory by at least one of three questions (3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from worldgauge.judge.forms import Asked, QuestionForm

PROMPT: Final = "worldgauge.benchmarks.mbench:clip_challenges"
DIMENSIONS: Final = ("entity", "environment", "causal")
_RARER: Final = ("environment", "entity", "causal")
"""Of equal grades the dimension counts that the release has fewer clips of."""
LOWEST, HIGHEST = 1, 5
FORM: Final = QuestionForm(tuple(Asked(name, scale=(LOWEST, HIGHEST)) for name in DIMENSIONS))


@dataclass(frozen=True)
class Thresholds:
    """What a clip must reach. The paper prints no numbers but for the length."""

    entity: int = 4
    """Least answer to the question about things and people; above the highest answer: never."""
    environment: int = 4
    causal: int = 4
    seconds: tuple[float, float] = (5.0, 900.0)
    """Least and greatest length."""

    def of(self, dimension: str) -> int:
        return int(getattr(self, dimension))


def too_long_or_short(seconds: float, thresholds: Thresholds) -> str:
    """Why the length speaks against a clip; empty where it does not.

    >>> too_long_or_short(3.0, Thresholds())
    '3 s long, 5 to 900 are taken'
    """
    least, most = thresholds.seconds
    return "" if least <= seconds <= most else f"{seconds:.4g} s long, {least:g} to {most:g} are taken"


def chosen_dimension(answers: Mapping[str, Mapping[str, Any]], thresholds: Thresholds) -> tuple[str, str]:
    """The dimension a clip is taken for, the strongest that reaches its threshold; and if none, why not.

    >>> chosen_dimension({"entity": {"answer": 4}, "environment": {"answer": 2}, "causal": {"answer": 5}}, Thresholds())
    ('causal', '')
    >>> chosen_dimension({name: {"answer": 3} for name in DIMENSIONS}, Thresholds())[1]
    'entity 3 of 4, environment 3 of 4, causal 3 of 4'
    """
    scores = {name: int(answers[name]["answer"]) for name in DIMENSIONS}
    passing = [name for name in DIMENSIONS if scores[name] >= thresholds.of(name)]
    if passing:
        return max(passing, key=lambda name: (scores[name], _RARER.index(name))), ""
    return "", ", ".join(f"{name} {scores[name]} of {thresholds.of(name)}" for name in DIMENSIONS)
