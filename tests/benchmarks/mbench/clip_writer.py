"""A judge that curates clips by their names: what each shows is fixed here."""

from __future__ import annotations

import os
import re
import signal
import threading
from pathlib import Path
from typing import Any

from worldgauge.core.asking import ABOUT
from worldgauge.judge.request import Request

GRADES = {
    "vase": (5, 2, 1), "walker": (4, 3, 3), "square": (2, 4, 1), "candle": (3, 1, 5), "dull": (2, 3, 1),
}  # fmt: skip
"""Clip to its grades: entity, environment, causal."""
TARGETS = {
    "vase": ("red vase", "object", ["red glaze", "chipped rim"]),
    "walker": ("tall walker", "person", ["green coat", "grey hat"]),
    "square": ("stone fountain", "place", ["round basin", "mossy stone"]),
    "candle": ("white candle", "object", ["white wax", "brass holder"]),
}
STATE = {"before": "tall and lit", "after": "burnt down"}
KILL = "KILL_AT_CALL"
"""Environment variable: a file with a byte for each call, and the number at which the process is killed."""
_COUNTING = threading.Lock()


def write(request: Request) -> dict[str, Any]:
    """Everything as it is asked for."""
    _count()
    clip = ABOUT.get().partition(".")[0] or "vase"
    return answer(request.text, clip)


def answer(text: str, clip: str = "vase") -> dict[str, Any]:
    if "Grade with three whole numbers" in text:
        grades = zip(("entity", "environment", "causal"), GRADES[clip], strict=True)
        return {"answers": [{"id": name, "reason": "seen", "answer": grade} for name, grade in grades]}
    if "Describe the clip so exactly" in text:
        return description(clip)
    if "Write five paragraphs" in text:
        return captions(text, clip)
    assert "questions that yes or no answers" in text
    return {"questions": questions(int(re.findall(r"Write (\d+) questions", text)[0]))}


def description(clip: str) -> dict[str, Any]:
    name, kind, attributes = TARGETS[clip]
    other = {"name": "bench", "attributes": ["wooden"], "position": "behind"}
    found = {
        "scene": "A yard in the morning.", "activity": "Somebody looks around.",
        "target": {"name": f"a {name}", "kind": kind, "attributes": attributes, "position": "in the middle"},
        "others": [other], "events": ["It is there.", "The view moves."],
    }  # fmt: skip
    return found | ({"state": STATE} if clip == "candle" else {})


def captions(text: str, clip: str) -> dict[str, Any]:
    name, _, attributes = TARGETS[clip]
    whole = f"A {name} with {' and '.join(attributes)} is in the yard"
    state = (f", {STATE['before']}", f", {STATE['after']}") if clip == "candle" else ("", " again")
    motion = next(word for word in ("dimming", "rotation", "occlusion") if f"- {word}:" in text)
    paragraphs = [
        f"{whole}{state[0]}.", f"Half of the {name} is in view.", "A wooden bench and a bare wall.",
        f"Half of the {name} is back.", f"{whole}{state[1]}.",
    ]  # fmt: skip
    return {"motion": motion, "side": "left", "paragraphs": paragraphs}


def questions(count: int) -> list[dict[str, str]]:
    names = ("entity", "environment", "causal")
    return [
        {"question": f"Is it so, number {k}?", "answer": ("yes", "no")[k % 2], "dimension": names[k % 3]}
        for k in range(count)
    ]


def mended(request: Request) -> dict[str, Any]:
    """Shows the target in the middle at first, and does better when that is shown to it."""
    return write(request) if request.turns else _showing(write(request))


def stubborn(request: Request) -> dict[str, Any]:
    """Never does better with one clip."""
    return _showing(write(request)) if ABOUT.get().startswith("vase") else write(request)


def _showing(reply: dict[str, Any]) -> dict[str, Any]:
    if "paragraphs" in reply:
        reply["paragraphs"][2] = "A bare wall, and no vase, walker, fountain or candle."
    return reply


def _count() -> None:
    file, _, most = os.environ.get(KILL, "").rpartition(":")
    if file:
        with _COUNTING, Path(file).open("ab", buffering=0) as stream:
            stream.write(b".")
            if stream.tell() == int(most):
                os.kill(os.getpid(), signal.SIGKILL)
