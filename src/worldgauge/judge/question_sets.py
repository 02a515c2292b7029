"""Question sets in a declarative form: the question, its choices or scale, what passes, how answers become a score."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from worldgauge.core.ballots import Level
from worldgauge.core.clip import Clip
from worldgauge.core.errors import Unscored
from worldgauge.core.reading import read_toml_as
from worldgauge.core.signal import Arrays
from worldgauge.judge.forms import Asked, QuestionForm
from worldgauge.judge.instrument import Judge
from worldgauge.judge.rendering import fenced

PROMPT = "worldgauge.judge:questions"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class JudgedQuestion(_Model):
    """One question. It has choices, one of which passes, or a scale of whole numbers."""

    id: str
    text: str
    dimension: str = ""
    choices: tuple[str, ...] = ("yes", "no")
    scale: tuple[int, int] | None = None
    """Lowest and highest, in place of choices."""
    passes: str = "yes"
    """The answer that counts as 1; any other counts as 0. Of a question with a scale nothing is read here."""
    higher_is_better: bool = True
    """Of a scale: whether its highest number counts as 1, or its lowest."""
    weight: float = Field(default=1.0, gt=0)
    combine: Literal["majority", "mean", "median"] | None = None
    """How the answers of several judges, or of one that is asked several times, become one; None: the majority of
    choices, the mean of a scale. The mean of choices is the mean of their scores."""
    level: Level | None = None
    """What a difference between answers means for agreement; None: choices are names, a scale is an order."""

    @model_validator(mode="after")
    def _answerable(self) -> JudgedQuestion:
        if self.scale is not None:
            if self.scale[0] >= self.scale[1]:
                raise ValueError(f"question {self.id}: the scale {self.scale} has no two ends")
        elif self.combine == "median":
            raise ValueError(f"question {self.id}: choices have no median")
        elif len(set(self.choices)) < 2 or self.passes not in self.choices:
            raise ValueError(f"question {self.id}: '{self.passes}' must be one of at least two choices")
        return self

    def score(self, answer: str | float) -> float:
        """From 0 to 1.

        >>> JudgedQuestion(id="1", text="?", scale=(1, 5)).score(4)
        0.75
        """
        if self.scale is None:
            return float(answer == self.passes)
        share = (float(answer) - self.scale[0]) / (self.scale[1] - self.scale[0])
        return share if self.higher_is_better else 1.0 - share

    def score_of(self, item: Mapping[str, Any]) -> float:
        """Of an item of an answer: of its shares, where it was made from several answers and their mean counts."""
        if self.scale is None and self.combine == "mean" and "shares" in item:
            return float(sum(share * self.score(answer) for answer, share in item["shares"].items()))
        return self.score(item["answer"])


class QuestionSet(_Model):
    """A file of questions that are put to every clip: `[[question]]` tables in TOML."""

    title: str = ""
    questions: tuple[JudgedQuestion, ...] = Field(alias="question", min_length=1)

    @model_validator(mode="after")
    def _distinct(self) -> QuestionSet:
        ids = [question.id for question in self.questions]
        if len(set(ids)) < len(ids):
            raise ValueError("two questions have one id")
        return self


def read_question_set(file: Path) -> QuestionSet:
    """A question set from its file."""
    return read_toml_as(QuestionSet, file)


def form_of(questions: Sequence[JudgedQuestion]) -> QuestionForm:
    """What an answer to these questions must look like."""
    return QuestionForm(tuple(Asked(one.id, one.choices, one.scale, one.combine, one.level) for one in questions))


def question_values(questions: Sequence[JudgedQuestion]) -> dict[str, str]:
    """What fills the prompt's place `questions`: one JSON object in each line, fenced."""
    lines = []
    for one in questions:
        answers: Any = f"whole number from {one.scale[0]} to {one.scale[1]}" if one.scale else list(one.choices)
        lines.append(json.dumps({"id": one.id, "question": one.text, "answers": answers}, ensure_ascii=False))
    return {"questions": fenced("\n".join(lines))}


def ask_questions(
    clip: Clip, questions: Sequence[JudgedQuestion], judge: Judge, prompt: str = PROMPT, rate: float | None = None
) -> Arrays:
    """All questions about a clip in one request; the value of a signal. Read it with `answer_in`."""
    about = f"questions {', '.join(one.id for one in questions)}"
    answer, frames = judge.ask(clip, prompt, question_values(questions), form_of(questions), about, rate)
    told = []
    for one in questions:
        # Where votes are even, a question has no answer.
        if (given := answer.value.get(one.id)) is not None:
            wanted = "" if one.scale is not None else one.passes
            told.append([one.text, str(given["answer"]), given["reason"], wanted, one.dimension, one.id])
    return answer.arrays(frames, told)


def scores_by_dimension(
    questions: Sequence[JudgedQuestion], answers: Mapping[str, Mapping[str, Any]]
) -> dict[str, float]:
    """Weighted mean score of each dimension, over the questions that are answered."""
    sums: dict[str, tuple[float, float]] = {}
    for one in questions:
        if one.id in answers:
            total, weight = sums.get(one.dimension, (0.0, 0.0))
            sums[one.dimension] = total + one.weight * one.score_of(answers[one.id]), weight + one.weight
    return {dimension: total / weight for dimension, (total, weight) in sums.items()}


def dimension_score(
    questions: Sequence[JudgedQuestion], answers: Mapping[str, Mapping[str, Any]], dimension: str = ""
) -> float:
    """Weighted mean score of one dimension. Raises `Unscored` where the votes on all its questions are even."""
    scores = scores_by_dimension(questions, answers)
    if dimension not in scores:
        raise Unscored("the judges' votes are even, so that no question has an answer")
    return scores[dimension]


def constant_baselines(questions: Sequence[JudgedQuestion]) -> dict[str, float]:
    """Score of a judge that always gives one answer, and of one that draws an answer at random.

    >>> found = constant_baselines([JudgedQuestion(id="1", text="?"), JudgedQuestion(id="2", text="?", passes="no")])
    >>> found["always yes"], found["always no"], found["coin"]
    (0.5, 0.5, 0.5)
    """
    weight = sum(one.weight for one in questions)
    found: dict[str, float] = {}
    for answer in dict.fromkeys(choice for one in questions if one.scale is None for choice in one.choices):
        fitting = [one for one in questions if one.scale is None and answer in one.choices]
        if len(fitting) == len(questions):
            found[f"always {answer}"] = sum(one.weight * one.score(answer) for one in fitting) / weight
    found["coin"] = sum(one.weight * (0.5 if one.scale else 1 / len(one.choices)) for one in questions) / weight
    return found
