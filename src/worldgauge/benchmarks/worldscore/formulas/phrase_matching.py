"""Object control: which of the objects asked for did an open-set detector name?"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from worldgauge.core.errors import NotApplicable

Nouns = Callable[[str], set[str]]
"""The nouns of a phrase."""


def asked_objects(content: str) -> list[str]:
    """The objects of a content entry `Scene name, object, object`.

    >>> asked_objects("Library hall, Oak desk, lamp")
    ['oak desk', 'lamp']
    """
    return content.lower().split(", ")[1:]


def detector_caption(objects: Sequence[str]) -> str:
    """The text a grounding detector is asked with.

    >>> detector_caption(["oak desk", "lamp"])
    'oak desk, lamp.'
    """
    text = ", ".join(objects).lower().strip()
    return text if text.endswith(".") else text + "."


def plain_phrase(phrase: str) -> str:
    """A detected phrase without its confidence, lower case, no blanks around `_ - * / +`.

    >>> plain_phrase("T - Shirt(0.51)")
    't-shirt'
    """
    return re.sub(r"\s*([_\-*/+])\s*", r"\1", re.sub(r"\([^)]*\)", "", phrase).strip().lower())


def detection_rate(objects: Sequence[str], phrases: Sequence[str], nouns: Nouns) -> float:
    """Share of the objects that some phrase matches, in two passes.

    First equal strings. Then each phrase that equalled none takes the first object left that contains it (for a word
    piece, `##board`) or shares a noun with it. Objects are tried in the order they were asked for.

    Source: released code at commit 344983c.

    >>> detection_rate(["red chair", "lamp"], ["chair(0.5)"], lambda phrase: {phrase.split()[-1]})
    0.5
    """
    if not objects:
        raise NotApplicable("the content entry names no object")
    found = [plain_phrase(phrase) for phrase in phrases]
    left = [item for item in dict.fromkeys(objects) if item not in found]
    matched = len(dict.fromkeys(objects)) - len(left)
    for phrase in found:
        if phrase in objects:
            continue
        taken = next((item for item in left if _fits(phrase, item, nouns)), None)
        if taken is not None:
            left.remove(taken)
            matched += 1
    return min(matched / len(objects), 1.0)


def _fits(phrase: str, item: str, nouns: Nouns) -> bool:
    if "##" in phrase:
        return phrase.replace("##", "") in item
    return bool(nouns(phrase) & nouns(item))
