"""A judge as a function of the number of the world, which its captions tell.

UNREADABLE lists answers that nobody can read: `trigger:1 evolution:15`, the question and the world.
"""

from __future__ import annotations

import os
import re
from typing import Any

from worldgauge.judge.request import Request


def number_in(request: Request) -> int:
    found = re.search(r"World (\d+),", request.text)
    assert found is not None
    return int(found[1])


def answer(request: Request) -> dict[str, Any]:
    """All is triggered, and runs forward; states and plausibilities rise with the number."""
    number = number_in(request)
    kind = "trigger" if '"trigger"' in request.text else "direction" if '"direction"' in request.text else "evolution"
    if f"{kind}:{number}" in os.environ.get("UNREADABLE", "").split():
        return {"answers": []}
    values: dict[str, dict[str, Any]] = {
        "trigger": {"trigger": "yes", "confidence": 80},
        "direction": {"direction": "forward"},
        "evolution": {"state": 2 + number % 4, "plausibility": 1 + number % 5},
    }
    return {"answers": [{"id": name, "reason": "seen", "answer": value} for name, value in values[kind].items()]}
