"""The structural check of five captions: there, half gone, not there, half back, there as before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from worldgauge.benchmarks.mbench.data.case_parts import SEGMENTS

_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
ORDINALS: Final = ("first", "second", "third", "fourth", "fifth")
MIDDLE: Final = SEGMENTS // 2


@dataclass(frozen=True)
class Wanted:
    """What the captions of a case must tell."""

    name: str
    """Of the target; its last word is the noun."""
    attributes: tuple[str, ...] = ()
    """Lasting ones: they stand in the first and in the last caption."""
    before: str = ""
    """State in the first caption, of a process."""
    after: str = ""
    """State in the last one."""


def problems(captions: Sequence[str], wanted: Wanted) -> list[str]:
    """What is wrong with them, in words for the one who wrote them; empty: nothing.

    >>> wanted = Wanted("red vase", ("blue rim",))
    >>> there, gone = "A red vase with a blue rim stands here.", "A bare wall."
    >>> problems([there, "Half of the vase.", gone, "The vase comes back.", "The red vase, its rim blue."], wanted)
    []
    >>> for problem in problems([there, "Half a vase.", "No vase.", "The vase comes back.", "The red vase."], wanted):
    ...     print(problem)
    the third caption shows the target: it names 'vase'
    attributes of the first caption that the last lacks: blue rim
    """
    if len(captions) != SEGMENTS:
        return [f"there are {len(captions)} captions, {SEGMENTS} are asked for"]
    said = [stems(text) for text in captions]
    noun = (_words(wanted.name) or [""])[-1]
    found = [f"the {ORDINALS[k]} caption is empty" for k, words in enumerate(said) if not words]
    folded = [" ".join(_words(text)) for text in captions]
    found += [f"the {ORDINALS[k]} caption repeats another" for k, text in enumerate(folded) if text in folded[:k]]
    for number, words in enumerate(said):
        named = _stem(noun) in words
        if number == MIDDLE and named:
            found.append(f"the {ORDINALS[number]} caption shows the target: it names '{noun}'")
        elif number != MIDDLE and not named:
            found.append(f"the {ORDINALS[number]} caption does not name the target, '{noun}'")
    first, last = ([each for each in wanted.attributes if stems(each) <= said[k]] for k in (0, -1))
    if lacking := [each for each in wanted.attributes if each not in first]:
        found.append(f"attributes that the first caption lacks: {', '.join(lacking)}")
    if gone := [each for each in first if each not in last]:
        found.append(f"attributes of the first caption that the last lacks: {', '.join(gone)}")
    if new := [each for each in last if each not in first]:
        found.append(f"attributes of the last caption that the first lacks: {', '.join(new)}")
    for number, state in ((0, wanted.before), (SEGMENTS - 1, wanted.after)):
        if state and not stems(state) <= said[number]:
            found.append(f"the {ORDINALS[number]} caption does not tell the state '{state}'")
    return found


def stems(text: str) -> frozenset[str]:
    """The words of a text without articles, endings of number aside.

    >>> sorted(stems("The two Glasses, a glass."))
    ['glass', 'two']
    """
    return frozenset(_stem(word) for word in _words(text)) - {"a", "an", "the"}


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _stem(word: str) -> str:
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
