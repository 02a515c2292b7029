"""The score of a judge about a reconstruction, and what surrounds an answer."""

from __future__ import annotations

import math


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
