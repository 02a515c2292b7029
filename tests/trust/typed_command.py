"""How a command that was typed has ended, and what its text could do to a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

ESCAPES = "\x1b]0;title\x07\x1b[2J\x9b31m"
"""What would rename, wipe and colour a terminal."""


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


Command = Callable[..., Done]


def steering(text: str) -> set[str]:
    """Characters of a text that steer a terminal."""
    return {c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs")}
