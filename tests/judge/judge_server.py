"""A real HTTP server on loopback that speaks the chat-completions protocol, with faults on command."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PRICE_IN, PRICE_OUT = 2.0, 8.0
KEY = "sk-loopback-0123456789abcdef"
FAULTS = (
    "429", "500", "cut", "prose", "broken", "wrong_id", "missing", "twice", "empty", "refusal", "not_asked", "length",
)  # fmt: skip
TRANSPORT = {"429", "500", "cut"}


@dataclass
class Call:
    """One request as the server saw it."""

    questions: tuple[str, ...]
    images: int
    fault: str
    cost: float
    began: float
    ended: float = 0.0
    authorized: bool = False
    structured: bool = False
    repaired: bool = False


@dataclass
class Log:
    calls: list[Call] = field(default_factory=list)
    most_at_once: int = 0

    @property
    def cost(self) -> float:
        return sum(call.cost for call in self.calls)

    def asked(self) -> Counter[str]:
        """How often each question was put."""
        return Counter(question for call in self.calls for question in call.questions)


class JudgeServer:
    """Answers yes or no by the digest of a question's text. `fault` names what goes wrong with a call."""

    def __init__(self) -> None:
        self.log = Log()
        self.fault: Callable[[int, tuple[str, ...]], str] = lambda number, questions: ""
        self.seconds = 0.0
        self.retry_after = "0.02"
        self.model = "test-judge-1"
        self.gate: threading.Event | None = None
        """When set, replies wait for it, from call number `open_calls` on."""
        self.open_calls = 0
        self._lock = threading.Lock()
        self._at_once = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                outer.answer(self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._http.server_port}/v1"
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        questions = questions_in(body)
        with self._lock:
            number = len(self.log.calls)
            fault = self.fault(number, tuple(questions))
            images = sum(part["type"] == "image_url" for part in body["messages"][1]["content"])
            call = Call(tuple(questions), images, fault, 0.0, time.monotonic())
            call.authorized = handler.headers.get("Authorization") == f"Bearer {KEY}"
            call.structured = "response_format" in body
            call.repaired = len(body["messages"]) > 2
            self.log.calls.append(call)
            self._at_once += 1
            self.log.most_at_once = max(self.log.most_at_once, self._at_once)
        try:
            if self.gate is not None and number >= self.open_calls:
                self.gate.wait(60)
            time.sleep(self.seconds)
            self._reply(handler, call, fault, questions)
        finally:
            with self._lock:
                self._at_once -= 1
                call.ended = time.monotonic()

    def _reply(self, handler: BaseHTTPRequestHandler, call: Call, fault: str, questions: dict[str, str]) -> None:
        if fault == "429":
            return _send(handler, 429, {"error": {"message": f"slow down, {KEY}"}}, {"Retry-After": self.retry_after})
        if fault == "500":
            return _send(handler, 500, {"error": {"message": "overloaded"}})
        text, refusal, ending = reply_text(fault, questions)
        usage = {"prompt_tokens": 40 + 90 * call.images, "completion_tokens": max(1, len(text) // 4)}
        call.cost = (usage["prompt_tokens"] * PRICE_IN + usage["completion_tokens"] * PRICE_OUT) / 1e6
        if fault == "cut":
            handler.close_connection = True
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            handler.connection.close()
            return None
        message = {"role": "assistant", "content": text, "refusal": refusal}
        choice = {"index": 0, "message": message, "finish_reason": ending}
        return _send(handler, 200, {"model": self.model, "choices": [choice], "usage": usage})


def truth(text: str) -> str:
    """The server's answer to a question."""
    return "yes" if hashlib.sha256(text.encode()).digest()[0] % 2 else "no"


def questions_in(body: dict[str, Any]) -> dict[str, str]:
    """Id to text, as they stand between the fences."""
    text = body["messages"][1]["content"][-1]["text"]
    fences = re.findall(r"<<<TEXT [0-9a-f]{16}\n(.*?)\nTEXT [0-9a-f]{16}>>>", text, re.DOTALL)
    lines = [json.loads(line) for fence in fences for line in fence.splitlines() if line.startswith("{")]
    return {line["id"]: line["question"] for line in lines}


def reply_text(fault: str, questions: dict[str, str]) -> tuple[str, str | None, str]:
    """What the judge says, why it refuses, and how its reply ended."""
    items = [{"id": number, "reason": "seen", "answer": truth(text)} for number, text in questions.items()]
    if fault == "wrong_id":
        items[0]["id"] = "no-such-question"
    if fault == "missing":
        del items[0]
    if fault == "twice":
        items.append({**items[0], "answer": "yes" if items[0]["answer"] == "no" else "no"})
    if fault == "not_asked":
        items[0]["answer"] = "Yes, I think so."
    text = json.dumps({"answers": items})
    if fault == "prose":
        return f"Let me see. I would say {text} and that is all.", None, "stop"
    if fault == "broken":
        return text[:-3], None, "stop"
    if fault == "empty":
        return "", None, "stop"
    if fault == "refusal":
        return "", "I cannot help with that.", "stop"
    if fault == "length":
        return text[: len(text) // 2], None, "length"
    return text, None, "stop"


def sometimes(share: float, seed: int, faults: tuple[str, ...] = FAULTS) -> Callable[[int, tuple[str, ...]], str]:
    """A share of the calls goes wrong, in every way in turn."""
    chance, kinds = random.Random(seed), itertools.cycle(faults)
    return lambda number, questions: next(kinds) if chance.random() < share else ""


def _send(handler: BaseHTTPRequestHandler, status: int, content: Any, headers: dict[str, str] | None = None) -> None:
    data = json.dumps(content).encode()
    handler.send_response(status)
    for name, value in {
        "Content-Type": "application/json",
        "Content-Length": str(len(data)),
        **(headers or {}),
    }.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(data)


@contextmanager
def judge_server() -> Iterator[JudgeServer]:
    server = JudgeServer()
    try:
        yield server
    finally:
        server.close()
