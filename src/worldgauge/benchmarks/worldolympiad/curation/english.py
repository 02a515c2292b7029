"""Whether a text is English, by a test that can be stated in two sentences.

At least 97 in 100 of its letters are those of English. And more of its words are among the commonest of English than
among those of any other of six languages that are written with the same letters; one such word at least.
"""

from __future__ import annotations

import re
import unicodedata

LATIN = 0.97
COMMON = {
    "English": "the a an and of to in on at with is are was were be been it its this that as by from for into over "
    "under while then there their they he she his her no not but or has have which up down through past toward "
    "towards behind across along before after as",
    "German": "der die das und ein eine einen einem einer in auf mit ist sind war von zu den dem des im am nicht er "
    "sie es sich aus nach durch über vor wird noch auch bei an",
    "French": "le la les un une des et de du en dans sur avec est sont au aux il elle qui que par pour pas ce cette "
    "se son sa ses vers puis",
    "Spanish": "el la los las un una y de del en con es son se que por para no su al lo mientras hacia sobre más a",
    "Italian": "il lo la i gli le un una e di del della in con è sono si che per non da nel nella al su verso mentre a",
    "Portuguese": "o a os as um uma e de do da em no na com é são se que por para não ao sobre enquanto dos das",
    "Dutch": "de het een en van in op met is zijn te dat die naar door over aan uit niet hij ze er om bij voor",
}
_SETS = {name: frozenset(words.split()) for name, words in COMMON.items()}
_WORD = re.compile(r"[^\W\d_]+")


def why_not_english(text: str) -> str:
    """Why a text is not taken for English; empty where it is.

    >>> why_not_english("The camera moves along a corridor."), why_not_english("Der Ball rollt in die Ecke.")
    ('', 'it reads like German')
    >>> why_not_english("球从桌子上掉下来。"), why_not_english("Ball Ecke Tisch")
    ('most of its letters are not English', 'it has none of the common words of English')
    """
    letters = [c for c in unicodedata.normalize("NFC", text) if c.isalpha()]
    if not letters or sum(c.isascii() for c in letters) < LATIN * len(letters):
        # Umlauts and accents are few; other scripts are all there is.
        accented = sum(unicodedata.name(c, "").startswith("LATIN") for c in letters)
        if not letters or accented < LATIN * len(letters):
            return "most of its letters are not English"
    words = [word.casefold() for word in _WORD.findall(text)]
    counts = {name: sum(word in known for word in words) for name, known in _SETS.items()}
    if counts["English"] == 0:
        return "it has none of the common words of English"
    other = max((name for name in counts if name != "English"), key=lambda name: counts[name])
    return f"it reads like {other}" if counts[other] >= counts["English"] else ""
