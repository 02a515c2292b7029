"""The form of an answer: its JSON schema, and a strict reader. What does not fit is told, never guessed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from worldgauge.core.ballots import Level
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import parse_json

TAG = "answer"
_TAGGED = re.compile(rf"<{TAG}>(.*?)</{TAG}>|```(?:json)?[ \t]*\n(.*?)\n[ \t]*```", re.DOTALL)


class Unreadable(Exception):
    """A reply that does not fit its form."""

    def __init__(self, problem: str, partial: Any = None) -> None:
        """`partial`: what could be read of it, for the next reply to complete."""
        super().__init__(problem)
        self.problem, self.partial = problem, partial


class Form(Protocol):
    """What an answer must look like."""

    @property
    def schema(self) -> Mapping[str, Any]:
        """JSON schema of the object."""
        ...

    def read(self, content: Any, earlier: Any = None) -> Any:
        """The answer in an object that came back, completed by what `earlier` replies told. Raises `Unreadable`."""
        ...

    def settled(self, partial: Any) -> Any:
        """What counts where no reply was complete; None: nothing does."""
        ...


def object_in(text: str) -> Any:
    """The JSON of a reply: the whole reply, or what stands in its last tag or fence. Prose around it has no say.

    >>> object_in('It is yes, not {"a": 0}. <answer>{"a": 1}</answer>')
    {'a': 1}
    """
    body = text.strip()
    if not body:
        raise Unreadable("the reply is empty")
    if body[0] not in "{[":
        tagged = _TAGGED.findall(body)
        if not tagged:
            raise Unreadable(f"the reply is not a JSON object, and has none between <{TAG}> and </{TAG}>")
        body = next(filter(None, tagged[-1]), "").strip()
    try:
        return parse_json(body, "the reply", unique=True)
    except WorldGaugeError as error:
        raise Unreadable(str(error)) from error


@dataclass(frozen=True)
class Asked:
    """One question of a form."""

    id: str
    choices: tuple[str, ...] = ("yes", "no")
    scale: tuple[int, int] | None = None
    """Lowest and highest whole number, in place of choices."""
    combine: Literal["majority", "mean", "median"] | None = None
    """How several answers become one; None: the majority of choices, the mean of a scale."""
    level: Level | None = None
    """What a difference between answers means; None: choices are names, a scale is an order."""

    @property
    def way(self) -> Literal["majority", "mean", "median"]:
        return self.combine or ("majority" if self.scale is None else "mean")

    @property
    def difference(self) -> Level:
        return self.level or ("nominal" if self.scale is None else "ordinal")

    def read(self, given: Any) -> str | int | None:
        """The answer, or None where it is none of those asked for. `Yes.` is not yes."""
        if self.scale is not None:
            whole = isinstance(given, int) and not isinstance(given, bool)
            return given if whole and self.scale[0] <= given <= self.scale[1] else None
        if not isinstance(given, str):
            return None
        return next((choice for choice in self.choices if choice.casefold() == given.strip().casefold()), None)

    def in_words(self) -> str:
        if self.scale is not None:
            return f"a whole number from {self.scale[0]} to {self.scale[1]}"
        return " or ".join(f'"{choice}"' for choice in self.choices)


@dataclass(frozen=True)
class QuestionForm:
    """Several questions, each answered once: `{"answers": [{"id": "1", "answer": "yes", "reason": "..."}]}`."""

    questions: tuple[Asked, ...]

    @property
    def schema(self) -> Mapping[str, Any]:
        kinds = list(dict.fromkeys((asked.choices, asked.scale) for asked in self.questions))
        answers = [
            {"type": "integer", "minimum": scale[0], "maximum": scale[1]} if scale else {"enum": list(choices)}
            for choices, scale in kinds
        ]
        properties = {
            "id": {"type": "string", "enum": [asked.id for asked in self.questions]},
            "reason": {"type": "string"},
            "answer": answers[0] if len(answers) == 1 else {"anyOf": answers},
        }
        return answers_schema(properties)

    def read(self, content: Any, earlier: Any = None) -> dict[str, dict[str, Any]]:
        """Question to `{"answer": ..., "reason": ...}`. Every question once, no other, each with an allowed answer."""
        known = {asked.id: asked for asked in self.questions}
        found: dict[str, dict[str, Any]] = {}
        problems: list[str] = []
        twice: set[str] = set()
        for item in listed_answers(content, earlier):
            number = str(item.get("id"))
            if number not in known:
                problems.append(f"there is no question {number[:40]}")
                continue
            answer = known[number].read(item.get("answer"))
            if answer is None:
                given = str(item.get("answer"))[:40]
                problems.append(f"question {number} takes {known[number].in_words()}, not '{given}'")
            elif number in found or number in twice:
                twice.add(number)
                found.pop(number, None)
            else:
                found[number] = {"answer": answer, "reason": str(item.get("reason", ""))}
        merged = {**(earlier or {}), **found}
        problems += [f"question {number} is answered twice" for number in sorted(twice)]
        missing = [number for number in known if number not in merged]
        if missing:
            problems.append(f"no answer to question {', '.join(missing)}")
        if problems and missing:
            raise Unreadable("; ".join(problems), merged or None)
        return {number: merged[number] for number in known}

    def settled(self, partial: Any) -> Any:
        """Nothing: a question without an answer is asked again."""
        return None

    @property
    def asked(self) -> tuple[Asked, ...]:
        return self.questions

    def votes(self, value: Any) -> Mapping[str, Any]:
        found: Mapping[str, Any] = value
        return found

    def of_votes(self, items: Mapping[str, Any]) -> Any:
        return dict(items)


def answers_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    """A list of objects with exactly these properties, in an object, as providers' strict modes want it."""
    item = {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"answers": {"type": "array", "items": item}},
        "required": ["answers"],
        "additionalProperties": False,
    }


def listed_answers(content: Any, partial: Any = None) -> Sequence[Mapping[str, Any]]:
    """The items of the list that was asked for."""
    items = content.get("answers") if isinstance(content, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise Unreadable('an object {"answers": [{"id": ..., "answer": ...}]} is asked for', partial)
    return items
