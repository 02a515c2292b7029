"""What a bank of questions is worth before anybody is asked: counts, polarity, constant answers, doubles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from worldgauge.judge.question_sets import JudgedQuestion, constant_baselines

K = TypeVar("K")
_SMALL = frozenset({"a", "an", "the", "of", "in", "on", "at", "to", "is", "are", "do", "does", "it", "its", "and"})


def statistics(questions: Sequence[JudgedQuestion]) -> list[dict[str, Any]]:
    """Per dimension, then of all: how many, the most frequent passing answer and its share, what constants score."""
    dimensions = list(dict.fromkeys(one.dimension for one in questions))
    groups = {name or "-": [one for one in questions if one.dimension == name] for name in dimensions}
    if len(groups) > 1:
        groups["all"] = list(questions)
    rows = []
    for name, own in groups.items():
        passing = Counter(one.passes for one in own if one.scale is None)
        most, count = passing.most_common(1)[0] if passing else ("-", 0)
        rows.append(
            {
                "dimension": name,
                "questions": len(own),
                "scales": sum(one.scale is not None for one in own),
                "most wanted": most,
                "wanted %": 100 * count / passing.total() if passing else None,
                **{key: 100 * value for key, value in constant_baselines(own).items()},
            }
        )
    names = dict.fromkeys(key for row in rows for key in row)
    return [{key: row.get(key) for key in names} for row in rows]


def alike(texts: Mapping[K, str]) -> list[list[K]]:
    """Groups of questions that say the same in the same words, whatever their order, endings aside.

    >>> alike({1: "Is the fox there?", 2: "Does it vanish?", 3: "Is there the fox?"})
    [[1, 3]]
    """
    groups: dict[frozenset[str], list[K]] = {}
    for key, text in texts.items():
        words = frozenset(re.findall(r"\w+", text.casefold())) or frozenset({text})
        groups.setdefault(words - _SMALL or words, []).append(key)
    return [keys for keys in groups.values() if len(keys) > 1]
