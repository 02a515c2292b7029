"""A judge's answers to the question bank: reading them and scoring them as the released code does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from worldgauge.core.errors import Unscored, WorldGaugeError
from worldgauge.core.reading import parse_json


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
        if not isinstance(item, dict) or "Dimension" not in item:
            raise Unscored("an answer names no dimension")
        if not bank:
            passed[item["Dimension"]].append(item.get("Verdict") == "Pass")
            continue
        if "ID" not in item:
            raise Unscored("an answer has no question number")
        answer = item.get("Answer", "")
        if not isinstance(answer, str):
            raise Unscored(f"answer to question {item['ID']} is {answer!r}, not a text")
        wanted = "yes" if polarity.get(item["ID"], "Positive") == "Positive" else "no"
        passed[item["Dimension"]].append(answer.strip().lower() == wanted)
    return {dimension: round(sum(results) / len(results), 4) for dimension, results in passed.items()}
