"""The score in a judge's answer about a reconstruction, as the released code looks for it, and strictly."""

from __future__ import annotations

import json
import math
import re
from typing import Any

_FIELD = re.compile(r'["\']?score["\']?\s*[:=]\s*["\']?(-?\d*\.?\d+)', re.IGNORECASE)
_TAG = re.compile(r"<score>\s*(-?\d*\.?\d+)\s*</score>", re.IGNORECASE)
_NUMBER = re.compile(r"\d*\.?\d+")


def released_score(text: str) -> float:
    """A field `score` of JSON, else of anything like it, else a tag, else the first number; above 1 it is of ten.

    A minus sign in free text is lost, and NaN stays NaN. Raises `ValueError` where there is no number.

    >>> released_score('{"score": 7}'), released_score("3D view 2 looks like 0.73")
    (0.7, 0.3)
    """
    return normalised(_found(text))


def strict_score(text: str) -> float | None:
    """The field `score` of a JSON object, a number from 0 to 1; None for anything else."""
    try:
        content = json.loads(unfenced(text))
    except ValueError:
        return None
    score = content.get("score") if isinstance(content, dict) else None
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not 0 <= score <= 1:
        return None
    return float(score)


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
    """Without one code fence around it.

    >>> unfenced('```json\\n{"a": 1}\\n```')
    '{"a": 1}'
    """
    body = text.strip()
    for fence in ("```json", "```"):
        if body.startswith(fence):
            body = body[len(fence) :]
            break
    return body.removesuffix("```").strip()


def _found(text: str) -> float:
    try:
        content: Any = json.loads(unfenced(text))
    except ValueError:
        content = None
    if isinstance(content, dict) and "score" in content:
        try:
            return float(content["score"])
        except (TypeError, ValueError):
            pass
    for pattern in (_FIELD, _TAG):
        if match := pattern.search(text):
            return float(match.group(1))
    if match := _NUMBER.search(text):
        return float(match.group())
    raise ValueError("no number in the judge's answer")
