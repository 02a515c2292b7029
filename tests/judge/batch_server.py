"""Batch endpoints of three protocols, as their public references document them, kept in memory."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from judge.dialects import CHAT, GEMINI, MESSAGES, Dialect

AnswerLine = Callable[[Dialect, dict[str, Any]], dict[str, Any] | None]


@dataclass
class Batches:
    """What was sent, and how often it was looked at. A batch is worked on while `looks` are left."""

    looks: int = 1
    expires: bool = False
    """Whether batches end without any line being worked on."""
    broken: list[int] = field(default_factory=list)
    """Statuses that the next attempts to send a batch are answered with."""
    sent: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Batch to the requests in it, by their names."""
    deleted: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._files: dict[str, bytes] = {}
        self._told: dict[str, int] = {}
        self._results: dict[str, dict[str, Any]] = {}
        self._answers: dict[str, tuple[AnswerLine, Dialect]] = {}
        self._host = ""

    def takes(self, path: str) -> bool:
        return path in ("/v1/files", "/v1/batches", "/v1/messages/batches") or "batchGenerateContent" in path

    def tells(self, path: str) -> bool:
        return "/batches" in path or path.startswith(("/v1/files/out-", "/v1/files/file-"))

    def take(self, path: str, body: bytes, answer: AnswerLine, host: str) -> tuple[int, Any]:
        self._host = host
        if path == "/v1/files":
            name = f"file-{len(self._files)}"
            self._files[name] = re.split(rb"\r\n\r\n", body.split(b"filename=")[1], maxsplit=1)[1].split(b"\r\n--")[0]
            return 200, {"id": name}
        with self.lock:
            if self.broken:
                return self.broken.pop(0), {"error": {"message": "not now"}}
            told = json.loads(body)
            name = f"batch-{len(self.sent)}"
            if path == "/v1/batches":
                lines = [json.loads(line) for line in self._files[told["input_file_id"]].splitlines()]
                requests, dialect = {line["custom_id"]: line["body"] for line in lines}, CHAT
            elif path == "/v1/messages/batches":
                requests, dialect = {line["custom_id"]: line["params"] for line in told["requests"]}, MESSAGES
            else:
                inline = told["batch"]["inputConfig"]["requests"]["requests"]
                requests, dialect = {line["metadata"]["question"]: line["request"] for line in inline}, GEMINI
            self.sent[name], self._told[name], self._answers[name] = requests, 0, (answer, dialect)
        return 200, self._shown(name, dialect)

    def tell(self, path: str) -> tuple[int, bytes]:
        if path.startswith("/v1/files/"):
            name = path.split("/")[3].removeprefix("out-")
            lines = [
                {"custom_id": line, "response": {"status_code": 200, "body": body}}
                if body
                else {"custom_id": line, "response": None, "error": {"code": "batch_expired", "message": "too late"}}
                for line, body in self._worked(name).items()
            ]
            return 200, _lines(lines)
        name = re.findall(r"batch-[0-9]+", path)[0]
        dialect = self._answers[name][1]
        if path.endswith("/results"):
            kinds = {True: "errored", False: "expired"}
            failed = {"type": "error", "error": {"type": "api_error", "message": "overloaded"}, "request_id": None}
            lines = [
                {"custom_id": line, "result": {"type": "succeeded", "message": body}}
                if body
                else {"custom_id": line, "result": {"type": kinds[not self.expires], "error": failed}}
                for line, body in self._worked(name).items()
            ]
            return 200, _lines(lines)
        with self.lock:
            self._told[name] += 1
        return 200, json.dumps(self._shown(name, dialect)).encode()

    def _worked(self, name: str) -> dict[str, Any]:
        """Line to its response; worked on once, however often it is asked for."""
        with self.lock:
            if name not in self._results:
                answer, dialect = self._answers[name]
                requests = self.sent[name].items()
                self._results[name] = {line: None if self.expires else answer(dialect, body) for line, body in requests}
            return self._results[name]

    def _shown(self, name: str, dialect: Dialect) -> dict[str, Any]:
        ended = self._told[name] > self.looks
        if dialect is CHAT:
            status = ("expired" if self.expires else "completed") if ended else "in_progress"
            return {"id": name, "status": status, "input_file_id": "file-0", "output_file_id": f"out-{name}"}
        if dialect is MESSAGES:
            counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
            times = dict.fromkeys(("created_at", "expires_at"), "2026-01-01T00:00:00Z")
            return {
                "id": name, "type": "message_batch", "request_counts": counts, **times, "ended_at": None,
                "processing_status": "ended" if ended else "in_progress", "cancel_initiated_at": None,
                "archived_at": None, "results_url": f"{self._host}/v1/messages/batches/{name}/results",
            }  # fmt: skip
        state = ("BATCH_STATE_EXPIRED" if self.expires else "BATCH_STATE_SUCCEEDED") if ended else "BATCH_STATE_RUNNING"
        shown: dict[str, Any] = {"name": f"batches/{name}", "metadata": {"state": state}}
        if ended and not self.expires:
            lines = [
                {"metadata": {"question": line}}
                | ({"response": body} if body else {"error": {"code": 13, "message": "no"}})
                for line, body in self._worked(name).items()
            ]
            shown["metadata"]["output"] = {"inlinedResponses": {"inlinedResponses": lines}}
        return shown


def _lines(lines: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()
