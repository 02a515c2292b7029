"""Names made harmless for the place where they are shown. A file, a model or a case may be called anything."""

from __future__ import annotations

import json
import re
import unicodedata

_JOINERS = "\u200c\u200d"
"""Marks that print nothing but belong to words of several scripts; they steer nothing."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""
_MARKS = re.compile(r"([\\`*\[\]|])")
_TAGS = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def plain(text: str, keep: str = "") -> str:
    """Text in one line that cannot steer a terminal: what is no printed character is shown by its code.

    `keep` names characters that may stay, such as the line breaks of a text that was laid out beforehand.

    >>> print(plain("two\\nlines \\x1b[31m\\u202e"))
    two\\nlines \\x1b[31m\\u202e
    """
    if text.isprintable():
        return text
    return "".join(c if c in keep or not _steers(c) else _spelt(c) for c in text)


def csv_text(name: str) -> str:
    """A name as a cell that no spreadsheet takes for a formula.

    >>> csv_text("=1+2"), csv_text("model-1")
    ("'=1+2", 'model-1')
    """
    return f"'{name}" if name.startswith(_FORMULA) else name


def markdown_text(name: str) -> str:
    """A name that Markdown prints as it is.

    >>> print(markdown_text("<b>a|b</b> [x](y)"))
    &lt;b&gt;a\\|b&lt;/b&gt; \\[x\\](y)
    """
    marked = _MARKS.sub(r"\\\1", plain(name))
    return "".join(_TAGS.get(c, c) for c in marked)


def json_text(dumped: str) -> str:
    """Dumped JSON with the controls that JSON lets pass written as escapes; it means the same.

    >>> print(json_text('"\\x7f\\x9b\\udcff"'))
    "\\u007f\\u009b\\udcff"
    """
    if dumped.isascii() and "\x7f" not in dumped:
        return dumped
    return "".join(json.dumps(c)[1:-1] if _steers(c) and c != "\n" else c for c in dumped)


def _steers(character: str) -> bool:
    """Controls, marks that turn the direction of writing, lone surrogates, and line breaks of any kind."""
    if character in _JOINERS:
        return False
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _spelt(character: str) -> str:
    code = ord(character)
    named = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}.get(character)
    return named or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
