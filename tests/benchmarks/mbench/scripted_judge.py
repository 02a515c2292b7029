"""A judge as a function of the number of the world, which its captions tell."""

from __future__ import annotations

import re
from typing import Any

from worldgauge.judge.request import Request

UNREADABLE = 5
"""The world whose trigger question it never answers."""


def number_in(request: Request) -> int:
    found = re.search(r"World (\d+)", request.text)
    assert found is not None
    return int(found[1])


def triggered(number: int) -> bool:
    return number % 3 != 0


def state(number: int) -> int:
    return 1 + number % 5


def plausibility(number: int) -> int:
    return 5 - number % 3


def answer(request: Request) -> dict[str, Any]:
    """Every question once; an empty list where the world is the unreadable one."""
    number = number_in(request)
    if '"trigger"' in request.text:
        if number == UNREADABLE:
            return {"answers": []}
        values: dict[str, Any] = {"trigger": "yes" if triggered(number) else "no", "confidence": 10 * number}
    elif '"direction"' in request.text:
        values = {"direction": "backward" if number % 2 else "forward"}
    else:
        values = {"state": state(number), "plausibility": plausibility(number)}
    return {"answers": [{"id": name, "reason": "seen", "answer": value} for name, value in values.items()]}
