"""The form of written questions: six per dimension, each with its polarity, no two alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from worldgauge.benchmarks.memobench.data.questions import DIMENSIONS
from worldgauge.judge.forms import Unreadable

PER_DIMENSION = 6
POLARITIES = ("Positive", "Negative")
FIXED = dict(zip(DIMENSIONS, ("Positive", "Negative", "Positive", "Negative"), strict=True))
"""Dimension to the polarity that the released prompts ask for; the released questions are mixed all the same."""
Polarity = Literal["mixed", "fixed"]


@dataclass(frozen=True)
class WrittenQuestions:
    """What a list of new questions must look like."""

    polarity: Polarity = "mixed"

    @property
    def schema(self) -> Mapping[str, Any]:
        properties = {
            "dimension": {"type": "string", "enum": list(DIMENSIONS)},
            "polarity": {"type": "string", "enum": list(POLARITIES)},
            "question": {"type": "string"},
        }
        item = {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
        return {
            "type": "object",
            "properties": {"questions": {"type": "array", "items": item}},
            "required": ["questions"],
            "additionalProperties": False,
        }

    def read(self, content: Any, earlier: Any = None) -> list[dict[str, Any]]:
        """The questions in the released keys, numbered from 1 in the order of the dimensions."""
        given = content.get("questions") if isinstance(content, dict) else None
        if not isinstance(given, list) or not all(isinstance(item, dict) for item in given):
            raise Unreadable('an object {"questions": [...]} is asked for')
        problems = [problem for item in given if (problem := self._problem(item))]
        texts = Counter(_folded(item.get("question", "")) for item in given)
        problems += [f"the question '{text[:60]}' is written twice" for text, count in texts.items() if count > 1]
        for name in DIMENSIONS:
            own = [item for item in given if item.get("dimension") == name]
            if len(own) != PER_DIMENSION:
                problems.append(f"{name} has {len(own)} questions, {PER_DIMENSION} are asked for")
            elif self.polarity == "mixed" and len({item.get("polarity") for item in own}) < 2:
                problems.append(f"all questions of {name} have one polarity, both are asked for")
        if problems:
            raise Unreadable("; ".join(problems[:6]))
        ordered = sorted(given, key=lambda item: DIMENSIONS.index(item["dimension"]))
        return [
            {
                "ID": number,
                "Dimension": item["dimension"],
                "Dimension Polarity": item["polarity"],
                "Question": " ".join(item["question"].split()),
            }
            for number, item in enumerate(ordered, start=1)
        ]

    def settled(self, partial: Any) -> Any:
        """Nothing: a list that is not whole is no bank."""
        return None

    def in_words(self) -> str:
        """For the prompt."""
        if self.polarity == "mixed":
            return (
                "In each dimension write three positive questions (yes describes a good clip) and three negative ones "
                "(yes describes a fault)."
            )
        told = ", ".join(f"{name}: {word.lower()}" for name, word in FIXED.items())
        return f"Positive: yes describes a good clip. Negative: yes describes a fault. {told}."

    def _problem(self, item: Mapping[str, Any]) -> str:
        text, dimension, polarity = item.get("question"), item.get("dimension"), item.get("polarity")
        if dimension not in DIMENSIONS:
            return f"there is no dimension '{str(dimension)[:40]}'"
        if polarity not in POLARITIES:
            return f"a polarity is Positive or Negative, not '{str(polarity)[:40]}'"
        if not isinstance(text, str) or len(text.strip()) < 2 or not text.strip().endswith("?"):
            return f"'{str(text)[:60]}' is not a question"
        if self.polarity == "fixed" and polarity != FIXED[dimension]:
            return f"questions of {dimension} are {FIXED[dimension].lower()}"
        return ""


def _folded(text: Any) -> str:
    return " ".join(str(text).casefold().split())
