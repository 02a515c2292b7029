"""Text broken into lines of a given width: at blanks, else at marks inside a name, else anywhere."""

from __future__ import annotations

import re
import unicodedata

from worldgauge.report.plain import plain

_INSIDE = re.compile(r"(?<=[/_,=:-])(?=[^\W\d])|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Places inside a name where it may be broken: before a letter that follows a mark, and before a capital."""


def clean(text: str) -> str:
    """Text that takes one line and cannot steer the terminal.

    >>> print(clean("two\\nlines\\x1b[31m"))
    two lines\\x1b[31m
    """
    return text.strip() if text.isascii() and text.isprintable() else plain(" ".join(text.split()))


def text_width(text: str) -> int:
    """Places that text takes on a terminal: East Asian characters take two, accents put on others none.

    >>> [text_width(text) for text in ("café", "cafe\\u0301", "世界")]
    [4, 4, 4]
    """
    if text.isascii():
        return len(text)
    return sum(_places(c) for c in text)


def longest_piece(text: str) -> int:
    """Width of the longest part of a text that is not broken without need.

    >>> longest_piece("return_fidelity ↑ [deg]")
    8
    """
    return max((text_width(piece) for word in text.split(" ") for piece in _INSIDE.split(word)), default=0)


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most `width` places; at least one line.

    >>> wrap("too little parallax to recover the camera", 20)
    ['too little parallax', 'to recover the', 'camera']
    >>> wrap("GeoConsistencyMean ↑", 14)
    ['GeoConsistency', 'Mean ↑']
    """
    if text_width(text) <= width:
        return [text]
    lines = [""]
    for word in text.split(" "):
        blank = " " if lines[-1] else ""
        if text_width(lines[-1] + blank + word) <= width:
            lines[-1] += blank + word
            continue
        for piece in _pieces(word, width):
            if lines[-1] and text_width(lines[-1] + blank + piece) > width:
                lines.append("")
                blank = ""
            lines[-1] += blank + piece
            blank = ""
    return lines


def _pieces(word: str, width: int) -> list[str]:
    if text_width(word) <= width:
        return [word]
    found = []
    for piece in _INSIDE.split(word):
        while text_width(piece) > width:
            kept = _head(piece, width)
            found.append(kept)
            piece = piece[len(kept) :]
        found.append(piece)
    return [piece for piece in found if piece]


def _head(text: str, width: int) -> str:
    """As many characters as fit, at least one."""
    used = 0
    for i, character in enumerate(text):
        used += _places(character)
        if used > width and i:
            return text[:i]
    return text


def _places(character: str) -> int:
    # Joiners between letters take no place either.
    if unicodedata.combining(character) or unicodedata.category(character) == "Cf":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
