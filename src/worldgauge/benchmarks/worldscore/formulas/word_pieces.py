"""Word pieces as BERT's tokenizer makes them of a caption, and the text it makes of a choice of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from worldgauge.core.errors import Unscored
from worldgauge.core.reading import read_text
from worldgauge.core.reasons import UNAVAILABLE

CLS, SEP, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
LONGEST_WORD: Final = 100
"""Characters; a longer word is unknown."""
_CLEANED: Final = (
    *((" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't")),
    *((" 'm", "'m"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re")),
)
"""Blanks the tokenizer takes out again, in its order."""


def read_vocabulary(file: Path) -> frozenset[str]:
    """The `vocab.txt` of bert-base-uncased, one piece per line. Without it phrases cannot be told as the code does."""
    if not file.is_file():
        raise Unscored(f"the vocabulary {file} is not there", "name the vocab.txt of bert-base-uncased", UNAVAILABLE)
    found = frozenset(read_text(file).splitlines())
    missing = {CLS, SEP, UNKNOWN} - found
    if missing:
        raise Unscored(f"{file} is no vocabulary of BERT: {', '.join(sorted(missing))} is not in it", code=UNAVAILABLE)
    return found


def caption_tokens(caption: str, vocabulary: Container[str]) -> list[str]:
    """The pieces of a caption between their two marks: lower case, accents off, longest known pieces first.

    >>> caption_tokens("Red skateboard.", {"red", "skate", "##board", "."})
    ['[CLS]', 'red', 'skate', '##board', '.', '[SEP]']
    """
    return [CLS, *(piece for word in _words(caption) for piece in _pieces(word, vocabulary)), SEP]


def decoded(tokens: Sequence[str]) -> str:
    """Pieces as one text: `##` glues a piece to the one before it, blanks before punctuation go.

    A first piece keeps its `##`: nothing stands before it.

    >>> decoded(["skate", "##board", ",", "lamp"]), decoded(["##board"])
    ('skateboard, lamp', '##board')
    """
    text = " ".join(tokens).replace(" ##", "").strip()
    for blank, without in _CLEANED:
        text = text.replace(blank, without)
    return text


def _words(text: str) -> Iterator[str]:
    """Words, single punctuation marks and single Chinese characters; no accents, nothing that cannot be seen."""
    seen = "".join(c for c in text if c.isspace() or not unicodedata.category(c).startswith("C"))
    plain = "".join(c for c in unicodedata.normalize("NFD", seen.lower()) if unicodedata.category(c) != "Mn")
    for chunk in plain.split():
        yield from _cut(chunk)


def _cut(chunk: str) -> Iterator[str]:
    word = ""
    for character in chunk:
        if _is_punctuation(character) or _is_chinese(character):
            yield from _some(word)
            yield character
            word = ""
        else:
            word += character
    yield from _some(word)


def _some(word: str) -> Iterable[str]:
    return (word,) if word else ()


def _is_punctuation(character: str) -> bool:
    # ASCII signs count too, though Unicode calls some of them symbols.
    ascii_sign = character.isascii() and character.isprintable() and not character.isalnum() and character != " "
    return ascii_sign or unicodedata.category(character).startswith("P")


def _is_chinese(character: str) -> bool:
    return unicodedata.name(character, "").startswith("CJK ") and unicodedata.category(character) == "Lo"


def _pieces(word: str, vocabulary: Container[str]) -> list[str]:
    pieces: list[str] = []
    start = 0
    while start < len(word):
        mark = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in vocabulary), None)
        if end is None or len(word) > LONGEST_WORD:
            return [UNKNOWN]
        pieces.append(mark + word[start:end])
        start = end
    return pieces
