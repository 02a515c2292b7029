"""A judge on loopback that divides and describes videos, by a script, with faults of the line and of what it says."""

from __future__ import annotations

import base64
import io
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

import numpy as np
from PIL import Image

from judge.dialects import Dialect, dialect_of
from judge.judge_server import Call, JudgeServer, send_bytes
from worldgauge.judge.request import Usage

Pictures = list[np.ndarray]
Script = Callable[[str, str, Pictures], Any]
"""Stage, text and pictures to what is answered."""
LINE = ("429", "500", "cut", "garbled")
CONTENT = ("gap", "overlap", "seven", "action", "language", "prose", "broken", "missing", "beyond")


def stage_of(schema: dict[str, Any]) -> str:
    properties = schema["properties"]
    return "chunks" if "main" in properties else "caption" if "caption" in properties else "refine"


def spoiled(content: Any, stage: str, fault: str) -> Any:
    """What was to be answered, with a fault; a fault of another stage changes nothing."""
    if stage == "chunks" and fault in ("gap", "overlap", "seven", "beyond"):
        chunks = [dict(one) for one in content["chunks"]]
        if fault == "seven":
            start, end = content["main"]["start"], content["main"]["end"]
            step = (end - start) / 7
            chunks = [{"start": start + k * step, "end": start + (k + 1) * step} for k in range(7)]
        elif fault == "beyond":
            return {**content, "main": {**content["main"], "end": content["main"]["end"] + 99}}
        else:
            chunks[-1]["start"] += 0.6 if fault == "gap" else -0.6
        return {**content, "chunks": chunks}
    items = content["chunks"] if stage == "refine" else [content]
    german = "Der Ball rollt in die Ecke und bleibt liegen."
    changed = {"action": {"action": "turn left"}, "language": {"caption": german}}
    if stage != "chunks" and fault in changed:
        items = [{**items[0], **changed[fault]}, *items[1:]]
    if stage == "refine":
        return {"chunks": items[1:] if fault == "missing" else items}
    return items[0] if stage == "caption" else content


class CuratingServer(JudgeServer):
    """Answers by a script; `plan(number, stage)` names the fault of a call."""

    def __init__(self, script: Script) -> None:
        super().__init__()
        self.script = script
        self.plan: Callable[[int, str], str] = lambda number, stage: ""
        self.stages: list[tuple[str, str]] = []
        """Stage and fault of every call."""
        self.hold = ""
        """Stage whose next call is kept waiting, until `release` is set."""
        self.held, self.release = threading.Event(), threading.Event()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        schema = body["response_format"]["json_schema"]["schema"]
        parts = body["messages"][1]["content"]
        stage = stage_of(schema)
        with self._lock:
            fault = self.plan(len(self.stages), stage)
            self.stages.append((stage, fault))
        if stage == self.hold:
            self.held.set()
            self.release.wait(60)
        pictures = [
            np.asarray(Image.open(io.BytesIO(base64.b64decode(part["image_url"]["url"].partition(",")[2]))))
            for part in parts
            if part["type"] == "image_url"
        ]
        dialect = dialect_of(handler.path)
        if fault in LINE:
            return self._reply(handler, dialect, Call((), len(pictures), fault, 0.0, 0.0), {"1": ""})
        text = json.dumps(spoiled(self.script(stage, parts[-1]["text"], pictures), stage, fault))
        text = {"prose": "I would rather tell you a story.", "broken": text[:-4]}.get(fault, text)
        try:
            self._say(handler, dialect, text)
        except OSError:
            # Whoever asked was killed.
            handler.close_connection = True
        return None

    def _say(self, handler: BaseHTTPRequestHandler, dialect: Dialect, text: str) -> None:
        content = dialect.write(text, None, "stop", Usage(100, 20), self.model)
        send_bytes(handler, 200, json.dumps(content).encode())


@contextmanager
def curating_server(script: Script) -> Iterator[CuratingServer]:
    server = CuratingServer(script)
    try:
        yield server
    finally:
        server.close()
