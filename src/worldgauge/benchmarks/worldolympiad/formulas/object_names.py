"""From a judge's list of moving things to the names that are looked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

MOST = 3
NOTHING_NAMED = ("object",)
"""What is looked for where the judge names nothing."""


def object_names(answer: Any) -> tuple[str, ...]:
    """Texts only, trimmed, each once whatever its case, the first three.

    As released whatever can be gone through counts: of an object the keys, of a text the letters. What cannot, such as
    a number, names nothing.

    >>> object_names(["Car", "car ", 3, "Dog"]), object_names([])
    (('Car', 'Dog'), ('object',))
    """
    found: dict[str, str] = {}
    for item in answer if isinstance(answer, Iterable) else ():
        if isinstance(item, str) and item.strip():
            found.setdefault(item.strip().lower(), item.strip())
    return tuple(found.values())[:MOST] or NOTHING_NAMED
