"""Nouns of a short object phrase, by rule: enough for "red armchair" and "pile of old books", not for sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Final

from worldgauge.core.instrument import Instrument


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FUNCTION_WORDS: Final = _words(
    "a an the some any this that these those and or nor but of in on at by with without near over under above below "
    "behind beside between from to into onto for as its his her their our my your is are was were be been being has "
    "have very quite more most less least several many few two three four five six seven eight nine ten"
)
_ADJECTIVES: Final = _words(
    "red orange yellow green blue purple pink brown black white grey gray golden silver dark light bright pale vivid "
    "big small large tiny huge giant tall short long wide narrow thick thin deep shallow high low old new young "
    "ancient modern rustic vintage antique classic warm cold cool hot wet dry soft hard smooth rough round square flat "
    "steep open clean dirty empty full heavy quiet calm cozy cosy lush serene plush ornate elegant grand simple plain "
    "dense distant sunny cloudy foggy misty rainy snowy rocky sandy grassy leafy wooden woolen golden broken fallen "
    "hidden wild tropical"
)
_ADJECTIVE_ENDINGS: Final = ("ous", "ful", "ish", "less", "able", "ible", "ive", "ated", "ized", "ised")


def phrase_nouns(phrase: str) -> set[str]:
    """Words of the phrase that are most likely nouns.

    The last word before a preposition or the end is always one; a word before it is one unless it is a known adjective
    or looks like an adjective or a participle.

    >>> sorted(phrase_nouns("a pile of old garden chairs"))
    ['chairs', 'garden', 'pile']
    >>> phrase_nouns("red")
    set()
    """
    nouns: set[str] = set()
    for chunk in _chunks(re.findall(r"[a-z0-9]+(?:[-'/_+*][a-z0-9]+)*", phrase.lower())):
        *before, head = chunk
        if head not in _ADJECTIVES:
            nouns.add(head)
        nouns.update(word for word in before if not _is_adjective(word))
    return nouns


def _chunks(words: list[str]) -> list[list[str]]:
    chunks: list[list[str]] = [[]]
    for word in words:
        if word in _FUNCTION_WORDS:
            chunks.append([])
        else:
            chunks[-1].append(word)
    return [chunk for chunk in chunks if chunk]


def _is_adjective(word: str) -> bool:
    participle = len(word) > 4 and word.endswith(("ed", "ing"))
    return word in _ADJECTIVES or participle or (len(word) > 5 and word.endswith(_ADJECTIVE_ENDINGS))


@dataclass(frozen=True)
class RuleTagger(Instrument):
    """Nouns by the place of a word in its phrase and by lists of function words and adjectives; English."""

    seat: ClassVar[str] = "tagger"
    name: ClassVar[str] = "rule_nouns"
    memory: ClassVar[float] = 0.0

    def nouns(self, phrase: str) -> set[str]:
        return phrase_nouns(phrase)
