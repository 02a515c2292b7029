"""A judge's answers to the question bank: reading them and scoring them as the released code does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldgauge.benchmarks.memobench.formulas.protocols import Protocol
from worldgauge.core.errors import Unscored, WorldGaugeError
from worldgauge.core.reading import parse_json

ANSWER, HEADER = "Answer", "Answer (Yes/No)"
"""The key the released code reads, and the column the judge is asked for: an echo of the latter fails everything."""


@dataclass(frozen=True)
class ClipScore:
    """What the answers about one clip come to."""

    rates: dict[str, float]
    """Dimension to share of questions passed, 0 to 1."""
    answered: int
    """Questions of the bank that were answered."""
    asked: int
    """Questions of the bank."""
    left_out: int = 0
    """Answers that count for nothing: neither yes nor no, or to no question of the bank."""


def score_clip(answers: Any, bank: Sequence[Mapping[str, Any]], protocol: Protocol = "released") -> ClipScore:
    """The score of one clip, and how much of the bank it rests on.

    `released` takes any answer that is not the wanted word as failed. `paper` has yes and no only: it also reads the
    column that the judge was asked for, forgives a full stop, and leaves out what is neither, or to no known question.
    """
    ids = {question.get("ID") for question in bank}
    if protocol == "released":
        rates = score_answers(answers, bank)
        return ClipScore(rates, len(ids.intersection(map(_number_of, answers))), len(bank))
    wanted = {q["ID"]: (q["Dimension"], "yes" if _positive(q) else "no") for q in bank}
    passed: dict[str, list[bool]] = defaultdict(list)
    seen: set[Any] = set()
    if not isinstance(answers, list):
        raise Unscored(f"the judge answered with {type(answers).__name__}, not with a list")
    for item in answers:
        answer = _plain_answer(item)
        number = _number_of(item)
        known = number if number in wanted else _whole(number)
        if answer is None or known not in wanted or known in seen:
            continue
        seen.add(known)
        dimension, right = wanted[known]
        passed[dimension].append(answer == right)
    rates = {dimension: sum(results) / len(results) for dimension, results in passed.items()}
    return ClipScore(rates, len(seen), len(bank), len(answers) - len(seen))


def parse_answers(text: str) -> Any:
    """The JSON in a judge's reply: the reply itself, or what lies between its first fence line and its last fence.

    >>> parse_answers('Here: \\n```json\\n[1]\\n```')
    [1]
    """
    body = text
    if "```" in text:
        body = text[text.find("\n", text.find("```")) + 1 : text.rfind("```")]
    try:
        return parse_json(body, "the judge's reply")
    except WorldGaugeError as error:
        raise Unscored(str(error)) from error


def score_answers(answers: Any, bank: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Pass rate per dimension, rounded to four decimals, over the answers given.

    A question passes when its answer is "yes" and its polarity in the bank "Positive", or "no" and any other polarity.
    Ids not in the bank count as Positive; with an empty bank the judge's own verdict counts. Unusable items make the
    clip unscored, where the original stops the whole run.
    """
    polarity = {question.get("ID"): question.get("Dimension Polarity", "Positive") for question in bank}
    passed: dict[str, list[bool]] = defaultdict(list)
    if not isinstance(answers, list):
        raise Unscored(f"the judge answered with {type(answers).__name__}, not with a list")
    for item in answers:
        if not isinstance(item, dict) or not isinstance(item.get("Dimension"), str):
            raise Unscored("an answer names no dimension")
        if not bank:
            passed[item["Dimension"]].append(item.get("Verdict") == "Pass")
            continue
        if "ID" not in item or isinstance(item["ID"], (list, dict)):
            raise Unscored("an answer has no question number")
        answer = item.get(ANSWER, "")
        if not isinstance(answer, str):
            raise Unscored(f"answer to question {item['ID']} is {answer!r}, not a text")
        wanted = "yes" if polarity.get(item["ID"], "Positive") == "Positive" else "no"
        passed[item["Dimension"]].append(answer.strip().lower() == wanted)
    return {dimension: round(sum(results) / len(results), 4) for dimension, results in passed.items()}


def _plain_answer(item: Any) -> str | None:
    """Yes or no, in small letters; None for anything else."""
    given = item.get(ANSWER, item.get(HEADER)) if isinstance(item, dict) else None
    word = given.strip().rstrip(".!").lower() if isinstance(given, str) else ""
    return word if word in ("yes", "no") else None


def _number_of(item: Any) -> Any:
    """The number of the question that is answered; None where that is none."""
    number = item.get("ID") if isinstance(item, dict) else None
    return number if isinstance(number, (str, int)) else None


def _positive(question: Mapping[str, Any]) -> bool:
    return str(question.get("Dimension Polarity", "Positive")).strip().lower() == "positive"


def _whole(number: Any) -> Any:
    """A question's number that was answered as a text."""
    short = isinstance(number, str) and len(number) < 10
    return int(number) if short and number.strip().isdecimal() else number
