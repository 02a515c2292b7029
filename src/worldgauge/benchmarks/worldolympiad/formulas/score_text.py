"""The score in a judge's answer about a reconstruction, as the released code looks for it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any

_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_PLACES = tuple(
    re.compile(place % _NUMBER, re.IGNORECASE)
    for place in (r'"score"\s*:\s*(%s)', r"<score>\s*(%s)\s*</score>", r"(%s)")
)
"""Where a number is looked for in a text that is no JSON, one after the other; signs and bare points are not seen."""


def released_score(content: str | Sequence[Any]) -> float:
    """A field `score` of JSON, else of what looks like it, else a tag, else the first number; above 1 it is of ten.

    A minus sign in free text is lost, and NaN stays NaN. Content in parts is read as text alone, as it prints. Raises
    `ValueError` where there is no number.

    >>> released_score('{"score": 7}'), released_score("3D view 2 looks like 0.73")
    (0.7, 0.3)
    """
    text = content if isinstance(content, str) else " ".join(str(part) for part in content)
    found = _field(content) if isinstance(content, str) else None
    return normalised(_in_text(text) if found is None else found)


def normalised(score: float) -> float:
    """Above 1 it is out of ten; held within [0, 1]. NaN stays.

    Source: released code at commit bb2e240.

    >>> normalised(7.5), normalised(-0.2)
    (0.75, 0.0)
    """
    if math.isnan(score):
        return score
    return min(1.0, max(0.0, score / 10 if score > 1 else score))


def unfenced(text: str) -> str:
    """Without one code fence around it, and one more right behind the first.

    >>> unfenced('```json\\n{"a": 1}\\n```')
    '{"a": 1}'
    """
    body = text.strip()
    for fence in ("```json", "```"):
        body = body.removeprefix(fence)
    return body.removesuffix("```").strip()


def _field(text: str) -> float | None:
    """The field of a JSON object; None where there is none, or none that is a number."""
    try:
        content = json.loads(unfenced(text))
        return float(content["score"]) if isinstance(content, dict) and "score" in content else None
    except (TypeError, ValueError):
        return None


def _in_text(text: str) -> float:
    for place in _PLACES:
        if match := place.search(unfenced(text)):
            return float(match.group(1))
    raise ValueError("no number in the judge's answer")
