"""A judge as a function: answers by the number of the question; another leaves some out and repeats others."""

from __future__ import annotations

import json
import re
from typing import Any

from worldgauge.judge.request import Request


def questions_in(request: Request) -> list[dict[str, Any]]:
    fence = re.search(r"<<<TEXT [0-9a-f]{16}\n(.*?)\nTEXT [0-9a-f]{16}>>>", request.text, re.DOTALL)
    assert fence is not None
    return [json.loads(line) for line in fence.group(1).splitlines()]


def word(number: str) -> str:
    """Yes or no by the number of the question alone, so that a hand computation is easy."""
    return "Yes" if int(number) % 3 else "No"


def answer(request: Request) -> dict[str, Any]:
    """Every question once."""
    return {"answers": [{"id": q["id"], "reason": "seen", "answer": word(q["id"])} for q in questions_in(request)]}


def careless(request: Request) -> dict[str, Any]:
    """Leaves out the last question, and answers the first twice; a second reply is no better."""
    items = answer(request)["answers"]
    return {"answers": [*items[:-1], items[0]]}
