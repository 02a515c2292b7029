"""Five ways to put the phrase a segmenter is asked for."""

from __future__ import annotations

from typing import Final

from worldgauge.core.registry import unknown_name

WORDINGS: Final = {
    "original": "{phrase}",
    "the": "the {phrase}",
    "detect": "detect {phrase} in the scene",
    "photo": "a photo of {phrase}",
    "first_word": "{first}",
}
"""Name, as in the published table, to the text; `first` is the phrase's first word."""


def reworded(phrase: str, wording: str) -> str:
    """The phrase as one of `WORDINGS` puts it.

    Source: arXiv 2606.27537, Table S4.

    >>> reworded("a red fox(subject) running", "detect"), reworded("a red fox", "first_word")
    ('detect a red fox(subject) running in the scene', 'a')
    """
    if wording not in WORDINGS:
        raise unknown_name("wording", wording, list(WORDINGS))
    return WORDINGS[wording].format(phrase=phrase, first=(phrase.split() or [""])[0])
