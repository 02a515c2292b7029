"""What a case of either setting is, as signals and metrics ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from worldgauge.core.case import Case
from worldgauge.core.errors import NotApplicable

TEXT, ACTION = "T", "A"
"""Values of the tag `setting`."""
SETTINGS: Final = (TEXT, ACTION)
SUBSETS: Final = ("object", "human", "environment", "causal")
SEGMENTS: Final = 5
CAPTIONS: Final = "captions"
LEGS: Final = "legs"
ANCHOR: Final = "anchor"
"""Names in a case's extras."""
SECONDS: Final = 25.0
"""Of a clip whose case does not say how long it should be: five segments of 5 s (MBench, 5.1)."""


def is_text(case: Case) -> bool:
    """Whether the case is of MBench-T; a case that does not say is one of MBench-A."""
    return case.tags.get("setting", ACTION) == TEXT


def subset_of(case: Case) -> str:
    return case.tags.get("subset", "")


def captions_of(case: Case) -> list[str]:
    """The captions of the segments, in order; empty where the case has none."""
    found = case.extras.get(CAPTIONS)
    return [str(text) for text in found] if isinstance(found, Sequence) and not isinstance(found, str) else []


def segments_of(case: Case) -> int:
    """How many segments the clip has: one per caption, else five."""
    return len(captions_of(case)) or SEGMENTS


def legs_of(case: Case) -> list[tuple[str, float]]:
    """Verbs of the action script and the share of the clip that each takes."""
    found = case.extras.get(LEGS)
    if not isinstance(found, Sequence) or not found:
        raise NotApplicable("the case has no action script")
    return [(str(verb), float(share)) for verb, share in found]


def seconds_of(case: Case) -> float:
    """How long the clip was requested to be.

    >>> from worldgauge.core.case import Condition
    >>> seconds_of(Case(id="a", condition=Condition(frames=161, fps=16))), seconds_of(Case(id="b"))
    (10.0, 25.0)
    """
    frames, fps = case.condition.frames, case.condition.fps
    return (frames - 1) / fps if frames is not None and frames > 1 and fps else SECONDS
