"""Three judges of known quality. They know the clip by the name under which it is asked about."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from worldgauge.calibration.judge_questions import FAULT_QUESTIONS
from worldgauge.core.asking import ABOUT
from worldgauge.judge.request import Request

ERRORS = 0.25


def oracle(request: Request) -> dict[str, Any]:
    """Right about everything."""
    return _reply(_truth(request))


def yes_man(request: Request) -> dict[str, Any]:
    """Yes to everything."""
    return _reply("yes")


def noisy(request: Request) -> dict[str, Any]:
    """Wrong about a quarter, by a digest of what it is asked."""
    chance = hashlib.sha256(f"{ABOUT.get()} {_question(request)}".encode()).digest()[0] / 256
    right = _truth(request)
    return _reply(right if chance >= ERRORS else {"yes": "no", "no": "yes"}[right])


def wavering(request: Request) -> dict[str, Any]:
    """Right the first time, wrong the second."""
    right = _truth(request)
    return _reply(right if request.decoding.seed == 0 else {"yes": "no", "no": "yes"}[right])


def _question(request: Request) -> str:
    line = next(line for line in request.text.splitlines() if line.startswith('{"id"'))
    return str(json.loads(line)["question"])


def _truth(request: Request) -> str:
    subject, asked = ABOUT.get().rpartition("/")[2], _question(request)
    for fault, question in FAULT_QUESTIONS.items():
        for inverted in (False, True):
            if re.fullmatch(re.escape(question.text(inverted, "BALL")).replace("BALL", ".*"), asked):
                return "yes" if subject.startswith(f"{fault}-") != inverted else "no"
    raise AssertionError(asked)


def _reply(answer: str) -> dict[str, Any]:
    return {"answers": [{"id": "1", "reason": "known", "answer": answer}]}
