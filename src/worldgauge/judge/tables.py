"""Forms of answers beside questions: an object of numbers or texts, a list of verdicts, a list of words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldgauge.judge.forms import Asked, Unreadable


@dataclass(frozen=True)
class NumbersForm:
    """`{"quality": 3.5, ..., "reason": "..."}`: every number within the ends."""

    names: tuple[str, ...]
    ends: tuple[float, float]

    @property
    def schema(self) -> Mapping[str, Any]:
        number = {"type": "number", "minimum": self.ends[0], "maximum": self.ends[1]}
        return _object({"reason": {"type": "string"}, **dict.fromkeys(self.names, number)})

    def read(self, content: Any, earlier: Any = None) -> dict[str, Any]:
        if not isinstance(content, dict):
            raise Unreadable("an object with numbers is asked for")
        wrong = [name for name in self.names if not is_number(content.get(name), self.ends)]
        if wrong:
            raise Unreadable(f"{', '.join(wrong)} must be a number from {self.ends[0]:g} to {self.ends[1]:g}")
        return {**{name: float(content[name]) for name in self.names}, "reason": str(content.get("reason", ""))}

    def settled(self, partial: Any) -> Any:
        return None

    @property
    def asked(self) -> tuple[Asked, ...]:
        """Of several answers the mean of each number counts."""
        return tuple(_number(name, self.ends) for name in self.names)

    def votes(self, value: Any) -> Mapping[str, Any]:
        return {name: {"answer": value[name], "reason": value["reason"]} for name in self.names}

    def of_votes(self, items: Mapping[str, Any]) -> Any:
        return {**{name: items[name]["answer"] for name in self.names}, "reason": items[self.names[-1]]["reason"]}


@dataclass(frozen=True)
class VerdictsForm:
    """`{"results": [{"id": ..., "VERDICT": true, "confidence": 0.8, "reason": "..."}]}`, every id once."""

    ids: tuple[str, ...]
    verdict: str
    id_field: str = "id"

    @property
    def schema(self) -> Mapping[str, Any]:
        item = _object(
            {
                self.id_field: {"type": "string", "enum": list(self.ids)},
                "reason": {"type": "string"},
                self.verdict: {"type": "boolean"},
                "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            }
        )
        return _object({"results": {"type": "array", "items": item}})

    def read(self, content: Any, earlier: Any = None) -> dict[str, dict[str, Any]]:
        """Id to its verdict; what an earlier reply told stands. A verdict of two different kinds is none."""
        items = content.get("results") if isinstance(content, dict) else None
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise Unreadable('an object {"results": [...]} is asked for', earlier)
        found: dict[str, dict[str, Any]] = {}
        twice: set[str] = set()
        for item in items:
            name, verdict = str(item.get(self.id_field)), item.get(self.verdict)
            if name not in self.ids or not isinstance(verdict, bool) or not is_number(item.get("confidence"), (0, 1)):
                continue
            if name in found and found[name][self.verdict] != verdict:
                twice.add(name)
            found[name] = {
                self.verdict: verdict,
                "confidence": float(item["confidence"]),
                "reason": str(item.get("reason", "")),
            }
        merged = {**(earlier or {}), **{name: one for name, one in found.items() if name not in twice}}
        missing = [name for name in self.ids if name not in merged]
        if missing:
            raise Unreadable(f"no verdict that can be read about {', '.join(missing)}", merged or None)
        return {name: merged[name] for name in self.ids}

    def settled(self, partial: Any) -> Any:
        return None

    @property
    def asked(self) -> tuple[Asked, ...]:
        """Of several answers the majority of verdicts counts, with the mean of all confidences."""
        return tuple(one for name in self.ids for one in (Asked(name), _number(_confidence(name), (0, 1))))

    def votes(self, value: Any) -> Mapping[str, Any]:
        found: dict[str, Any] = {}
        for name, one in value.items():
            found[name] = {"answer": "yes" if one[self.verdict] else "no", "reason": one["reason"]}
            found[_confidence(name)] = {"answer": one["confidence"], "reason": ""}
        return found

    def of_votes(self, items: Mapping[str, Any]) -> Any:
        """A verdict whose votes are even is left out: nobody knows it."""
        return {
            name: {
                self.verdict: items[name]["answer"] == "yes",
                "confidence": items[_confidence(name)]["answer"],
                "reason": items[name]["reason"],
            }
            for name in self.ids
            if name in items
        }


@dataclass(frozen=True)
class WordsForm:
    """`{"names": ["a red car", ...]}`."""

    field: str = "names"

    @property
    def schema(self) -> Mapping[str, Any]:
        return _object({self.field: {"type": "array", "items": {"type": "string"}}})

    def read(self, content: Any, earlier: Any = None) -> list[str]:
        words = content.get(self.field) if isinstance(content, dict) else None
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise Unreadable(f'an object {{"{self.field}": ["...", ...]}} is asked for')
        return words

    def settled(self, partial: Any) -> Any:
        return None

    def of_lists(self, given: Mapping[str, Sequence[Any]]) -> list[str]:
        """All words, those of most answers first; among as many, in the order in which they were said.

        >>> WordsForm().of_lists({"a": [["hand", "ball"], ["cup"]], "b": [["Ball"]]})
        ['ball', 'hand', 'cup']
        """
        first: dict[str, str] = {}
        named: Counter[str] = Counter()
        for answer in (answer for takes in given.values() for answer in takes):
            for word in answer:
                first.setdefault(word.strip().casefold(), word)
            named.update({word.strip().casefold() for word in answer})
        return [first[word] for word in sorted(first, key=lambda word: -named[word])]


@dataclass(frozen=True)
class TextsForm:
    """`{"scene": "...", "camera": "..."}`: texts; those that are needed must say something."""

    names: tuple[str, ...]
    needed: tuple[str, ...] = ()

    @property
    def schema(self) -> Mapping[str, Any]:
        return _object({name: {"type": "string"} for name in self.names})

    def read(self, content: Any, earlier: Any = None) -> dict[str, str]:
        if not isinstance(content, dict) or not all(isinstance(content.get(name, ""), str) for name in self.names):
            raise Unreadable(f"an object with the texts {', '.join(self.names)} is asked for")
        empty = [name for name in self.needed if not content.get(name, "").strip()]
        if empty:
            raise Unreadable(f"{', '.join(empty)} must not be empty")
        return {name: content.get(name, "") for name in self.names}

    def settled(self, partial: Any) -> Any:
        return None

    def of_lists(self, given: Mapping[str, Sequence[Any]]) -> dict[str, str]:
        """Of several answers the first: texts have no mean."""
        found: dict[str, str] = next(answer for takes in given.values() for answer in takes)
        return found


def is_number(value: Any, ends: tuple[float, float]) -> bool:
    """
    >>> is_number(3, (0, 5)), is_number(True, (0, 5)), is_number("3", (0, 5))
    (True, False, False)
    """
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and math.isfinite(value)
        and ends[0] <= value <= ends[1]
    )


def _number(name: str, ends: tuple[float, float]) -> Asked:
    return Asked(name, scale=(math.floor(ends[0]), math.ceil(ends[1])), combine="mean", level="interval")


def _confidence(name: str) -> str:
    return f"{name}: confidence"


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
