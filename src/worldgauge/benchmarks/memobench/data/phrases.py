"""The words a detector is asked for, taken from the released prompts."""

from __future__ import annotations

import re

_SUBJECT = re.compile(r"sees (.*?\(subject\)[^.,]*)", re.IGNORECASE)


def subject_phrase(prompt: str) -> str | None:
    """The part of a synthetic prompt that names the subject: from after "sees " past "(subject)" to the next . or ,

    >>> subject_phrase("First person view sees a tractor(subject) moving from the left. It turns.")
    'a tractor(subject) moving from the left'
    """
    found = _SUBJECT.search(prompt)
    return found.group(1).strip() if found else None
