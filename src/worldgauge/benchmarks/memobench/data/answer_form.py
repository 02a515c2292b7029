"""The form of a judge's answers to a bank, and the way to the released items with their keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldgauge.core.case import Question
from worldgauge.judge.forms import Asked, QuestionForm, Unreadable, answers_schema, listed_answers

Item = dict[str, Any]
FIRST, COMPLETED = "first", "completed"
"""In a stored answer: the items of the first reply as they came, and one item for each question that was answered."""


@dataclass(frozen=True)
class BankForm:
    """Yes or no to each question. The first reply is kept as it came; what it leaves open is asked for again."""

    ids: tuple[str, ...]

    @property
    def schema(self) -> Mapping[str, Any]:
        properties = {
            "id": {"type": "string", "enum": list(self.ids)},
            "reason": {"type": "string"},
            "answer": {"type": "string", "enum": ["Yes", "No"]},
        }
        return answers_schema(properties)

    def read(self, content: Any, earlier: Any = None) -> dict[str, list[Item]]:
        given = [dict(item) for item in listed_answers(content, earlier)]
        first = earlier[FIRST] if earlier else [_plain(item) for item in given]
        before = {item["id"]: item for item in earlier[COMPLETED]} if earlier else None
        strict = QuestionForm(tuple(Asked(number) for number in self.ids))
        try:
            found = strict.read(content, before)
        except Unreadable as problem:
            partial = {FIRST: first, COMPLETED: self._items(problem.partial or before or {})}
            raise Unreadable(problem.problem, partial) from None
        return {FIRST: first, COMPLETED: self._items(found)}

    def settled(self, partial: Any) -> Any:
        """What was answered counts, as long as anything was; the record says how much."""
        return partial if partial[FIRST] else None

    @property
    def asked(self) -> tuple[Asked, ...]:
        return tuple(Asked(number) for number in self.ids)

    def votes(self, value: Any) -> Mapping[str, Any]:
        """Of an answer that is one of several: the completed items. A first reply as it came has no vote."""
        return {item["id"]: item for item in value[COMPLETED]}

    def of_votes(self, items: Mapping[str, Any]) -> Any:
        listed = self._items(
            {number: {key: item[key] for key in ("answer", "reason")} for number, item in items.items()}
        )
        return {FIRST: listed, COMPLETED: listed}

    def _items(self, found: Mapping[str, Mapping[str, Any]]) -> list[Item]:
        return [{"id": number, **found[number]} for number in self.ids if number in found]


def released_items(items: Sequence[Item], questions: Sequence[Question]) -> list[Item]:
    """Answers in the released keys; those to no question of the bank have no dimension and are left out."""
    known = {question.id: question for question in questions}
    found = []
    for item in items:
        question = known.get(str(item["id"]))
        if question is not None:
            passed = str(item["answer"]).strip().lower() == question.answer
            found.append(
                {
                    **released_question(question),
                    "Answer": item["answer"],
                    "Verdict": "Pass" if passed else "Fail",
                    "Reasoning": item["reason"],
                }
            )
    return found


def released_question(question: Question) -> Item:
    """A question in the released keys."""
    number: int | str = int(question.id) if question.id.isdecimal() and len(question.id) < 10 else question.id
    polarity = "Positive" if question.answer == "yes" else "Negative"
    return {"ID": number, "Dimension": question.dimension, "Dimension Polarity": polarity, "Question": question.text}


def _plain(item: Mapping[str, Any]) -> Item:
    """An item with the three keys that were asked for, each a text."""
    return {"id": str(item.get("id")), "answer": _word(item.get("answer")), "reason": _word(item.get("reason"))}


def _word(given: Any) -> str:
    return given if isinstance(given, str) else "" if given is None else str(given)
