"""A real HTTP server on loopback that speaks the protocols of judges, with faults on command."""

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
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from judge.batch_server import Batches
from judge.dialects import Dialect, dialect_of
from worldgauge.judge.request import Usage

PRICE_IN, PRICE_OUT = 2.0, 8.0
KEY = "sk-loopback-0123456789abcdef"
FAULTS = (
    "429", "500", "cut", "prose", "broken", "wrong_id", "missing", "twice", "empty", "refusal", "not_asked", "length",
    "garbled", "slow",
)  # fmt: skip
UNTOLD = {"cut", "garbled", "slow"}
"""After these the usage is never told."""
TRANSPORT = {"429", "500", *UNTOLD}
SLOW = 2.5
"""Seconds of a reply that comes too late."""


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
    batch: bool = False
    body: dict[str, Any] = field(default_factory=dict)
    limit: int | None = None
    thoughts: int | None = None


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
        self.log, self.uploads, self.batches = Log(), Uploads(), Batches()
        self.fault: Callable[[int, tuple[str, ...]], str] = lambda number, questions: ""
        self.seconds = 0.0
        self.retry_after = "0.02"
        self.model = "test-judge-1"
        self.thoughts = 0
        """Tokens that it thinks before it answers, as far as its budget goes; they count as part of the reply."""
        self.gate: threading.Event | None = None
        """When set, replies wait for it, from call number `open_calls` on."""
        self.open_calls = 0
        self.together = 0
        """Replies wait until as many calls have been in the air at once."""
        self._met = threading.Event()
        self._lock = threading.Lock()
        self._at_once = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                if outer.batches.takes(self.path):
                    outer.take_batch(self)
                elif "/files" in self.path:
                    outer.take_upload(self)
                else:
                    outer.answer(self)

            def do_GET(self) -> None:
                if outer.batches.tells(self.path):
                    send_bytes(self, *outer.batches.tell(self.path))
                else:
                    _send(self, 200, outer.uploads.file(self.path))

            def do_DELETE(self) -> None:
                if outer.batches.tells(self.path):
                    outer.batches.deleted.append(self.path.rpartition("/")[2])
                else:
                    outer.uploads.deleted.append(self.path.rpartition("/")[2])
                _send(self, 200, {"id": "gone", "type": "message_batch_deleted"})

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
        dialect = dialect_of(handler.path)
        seen = dialect.read(body)
        questions = questions_in(seen.text)
        with self._lock:
            number = len(self.log.calls)
            fault = self.fault(number, tuple(questions))
            call = Call(tuple(questions), seen.images, fault, 0.0, time.monotonic())
            call.authorized = any(value.removeprefix("Bearer ") == KEY for value in handler.headers.values())
            call.structured, call.repaired = seen.structured, seen.repaired
            call.body, call.limit, call.thoughts = body, seen.limit, seen.thoughts
            self.log.calls.append(call)
            self._at_once += 1
            self.log.most_at_once = max(self.log.most_at_once, self._at_once)
            if self._at_once >= self.together:
                self._met.set()
        try:
            if self.gate is not None and number >= self.open_calls:
                self.gate.wait(60)
            self._met.wait(30)
            time.sleep(self.seconds)
            self._reply(handler, dialect, call, questions)
        finally:
            with self._lock:
                self._at_once -= 1
                call.ended = time.monotonic()

    def take_batch(self, handler: BaseHTTPRequestHandler) -> None:
        """A file of requests, or a batch, all of whose lines are answered when it is first looked at."""
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        found = self.batches.take(handler.path, body, self._answer_line, f"{self.endpoint.removesuffix('/v1')}")
        return _send(handler, *found)

    def _answer_line(self, dialect: Dialect, body: dict[str, Any]) -> dict[str, Any] | None:
        """The response to one request of a batch, at half the price; None for a line that fails."""
        seen = dialect.read(body)
        questions = questions_in(seen.text)
        with self._lock:
            fault = self.fault(len(self.log.calls), tuple(questions))
            call = Call(tuple(questions), seen.images, fault, 0.0, time.monotonic(), batch=True)
            self.log.calls.append(call)
        if fault in TRANSPORT:
            return None
        text, refusal, ending = reply_text(fault, questions)
        usage = Usage(40 + 90 * call.images, max(1, len(text) // 4))
        call.cost = (usage.tokens_in * PRICE_IN + usage.tokens_out * PRICE_OUT) / 2e6
        return dialect.write(text, refusal, ending, usage, self.model)

    def take_upload(self, handler: BaseHTTPRequestHandler) -> None:
        """The resumable upload of the Files API: a start that names the place, then the bytes."""
        data = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        if handler.headers.get("X-Goog-Upload-Command") == "start":
            place = f"{self.endpoint.removesuffix('/v1')}/upload/v1beta/files?upload_id=1"
            return _send(handler, 200, {}, {"X-Goog-Upload-URL": place, "X-Goog-Upload-Status": "active"})
        file = self.uploads.add(data)
        return _send(handler, 200, {"file": file}, {"X-Goog-Upload-Status": "final"})

    def _reply(self, handler: BaseHTTPRequestHandler, dialect: Dialect, call: Call, questions: dict[str, str]) -> None:
        if call.fault == "429":
            words = dialect.error(429, f"slow down, {KEY}")
            return _send(handler, 429, words, {"Retry-After": self.retry_after})
        if call.fault == "500":
            return _send(handler, 500, dialect.error(500, "overloaded"))
        text, refusal, ending = reply_text(call.fault, questions)
        thoughts = self.thoughts if call.thoughts is None else min(self.thoughts, call.thoughts)
        if call.limit is not None and thoughts and thoughts + len(text) // 4 > call.limit:
            # As real servers do: what does not fit is cut off, and a reply of thoughts alone has no text.
            text, thoughts, ending = "", min(thoughts, call.limit), "length"
        usage = Usage(40 + 90 * call.images, max(1, len(text) // 4) + thoughts, thoughts)
        call.cost = (usage.tokens_in * PRICE_IN + usage.tokens_out * PRICE_OUT) / 1e6
        if call.fault == "cut":
            handler.close_connection = True
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            handler.connection.close()
            return None
        if call.fault == "garbled":
            whole = json.dumps(dialect.write(text, refusal, ending, usage, self.model)).encode()
            return send_bytes(handler, 200, whole[:-5])
        if call.fault == "slow":
            time.sleep(SLOW)
            # Nobody is there any more.
            with suppress(OSError):
                _send(handler, 200, dialect.write(text, refusal, ending, usage, self.model))
            handler.close_connection = True
            return None
        return _send(handler, 200, dialect.write(text, refusal, ending, usage, self.model))


@dataclass
class Uploads:
    """Files that were sent, and those that were deleted. The first look finds one being prepared."""

    sizes: dict[str, int] = field(default_factory=dict)
    looks: int = 0
    deleted: list[str] = field(default_factory=list)

    def add(self, data: bytes) -> dict[str, Any]:
        name = f"clip{len(self.sizes)}"
        self.sizes[name] = len(data)
        return self._shown(name, "PROCESSING")

    def file(self, path: str) -> dict[str, Any]:
        self.looks += 1
        return self._shown(path.rpartition("/")[2], "ACTIVE")

    def _shown(self, name: str, state: str) -> dict[str, Any]:
        return {
            "name": f"files/{name}", "uri": f"https://files.invalid/{name}", "mimeType": "video/mp4", "state": state,
            "sizeBytes": str(self.sizes[name]),
        }  # fmt: skip


def truth(text: str) -> str:
    """The server's answer to a question."""
    return "yes" if hashlib.sha256(text.encode()).digest()[0] % 2 else "no"


def questions_in(text: str) -> dict[str, str]:
    """Id to text, as they stand between the fences."""
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
    if fault == "echo":
        items[0]["reason"] = f"because of {KEY}"
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
    send_bytes(handler, status, json.dumps(content).encode(), headers)


def send_bytes(
    handler: BaseHTTPRequestHandler, status: int, data: bytes, headers: dict[str, str] | None = None
) -> None:
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
