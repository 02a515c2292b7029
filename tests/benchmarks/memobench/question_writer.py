"""A judge that writes questions and answers them: which hold on which clip is fixed by their words."""

from __future__ import annotations

import re
from typing import Any

from benchmarks.memobench.made_banks import DIMENSIONS
from benchmarks.memobench.scripted_judge import questions_in
from worldgauge.core.asking import ABOUT
from worldgauge.judge.request import Request


def write(request: Request) -> dict[str, Any]:
    """Six per dimension. Of the first start, all of physics fall; the second is told of them and does better."""
    if '"questions"' in request.text:
        again = "Physics Adherence 1, first?" in request.text
        return {
            "questions": [question(name, n, "second" if again else "first") for name in DIMENSIONS for n in range(6)]
        }
    hinted = "known to be a failure" in request.text
    asked = questions_in_last_fence(request)
    return {"answers": [{"id": q["id"], "reason": "seen", "answer": word(q["question"], hinted)} for q in asked]}


def stubborn(request: Request) -> dict[str, Any]:
    """Never better, however often it starts."""
    reply = write(request)
    for item in reply.get("questions", ()):
        item["question"] = item["question"].replace("second", "first")
    return reply


def half(request: Request) -> dict[str, Any]:
    """Refuses to be of use about one clip."""
    return {"nothing": 1} if ABOUT.get().startswith("Barnyard_001") else write(request)


def question(dimension: str, number: int, start: str) -> dict[str, str]:
    polarity = "Positive" if number % 2 == 0 else "Negative"
    return {"dimension": dimension, "polarity": polarity, "question": f"Is it so, {dimension} {number}, {start}?"}


def word(text: str, hinted: bool) -> str:
    """Number 5 is wrong on the truth; number 0 turns with the hint; those of physics of a first start turn as well."""
    number = int(re.findall(r" (\d), ", text)[0])
    right = number % 2 == 0
    if number == 5:
        right = not right
    if hinted and (number == 0 or ("Physics" in text and "first" in text)):
        right = not right
    return "Yes" if right else "No"


def questions_in_last_fence(request: Request) -> list[dict[str, Any]]:
    fences = re.findall(r"<<<TEXT [0-9a-f]{16}\n.*?\nTEXT [0-9a-f]{16}>>>", request.text, re.DOTALL)
    return questions_in(Request("", fences[-1], {}))
