"""Batches of the chat-completions protocol: a file of requests, a batch over it, a file of responses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from worldgauge.judge.clients.bounded import BATCH_LIMIT
from worldgauge.judge.clients.http import called, content_of
from worldgauge.judge.clients.openai_compatible import OpenAiCompatible, reply_in
from worldgauge.judge.request import Failed, Reply, Request

_ENDED = ("completed", "failed", "expired", "cancelled")


class OpenAiBatches:
    """`POST {endpoint}/files` and `{endpoint}/batches`."""

    most_bytes = 100 * 2**20

    def __init__(self, client: OpenAiCompatible) -> None:
        self._http, self._secret, self._payload = client.http, client.secret, client.payload
        self._bounds = client.bounds

    def submit(self, lines: Mapping[str, Request]) -> str:
        text = "".join(_line(name, self._payload(request)) for name, request in lines.items())
        upload = {"files": {"file": ("questions.jsonl", text.encode())}, "data": {"purpose": "batch"}}
        try:
            file = self._json("POST", "files", **upload)["id"]
        except Failed as problem:
            # A file alone costs nothing.
            problem.charged = False
            raise
        about = {"input_file_id": file, "endpoint": "/v1/chat/completions", "completion_window": "24h"}
        return str(self._json("POST", "batches", json=about)["id"])

    def collect(self, batch: str) -> Mapping[str, Reply | Failed] | None:
        told = self._json("GET", f"batches/{batch}")
        if told.get("status") not in _ENDED:
            return None
        found: dict[str, Reply | Failed] = {}
        for key in ("error_file_id", "output_file_id"):
            if told.get(key):
                with self._bounds.call(BATCH_LIMIT):
                    response = called(self._http, "GET", f"files/{told[key]}/content", self._secret)
                found |= dict(map(self._outcome, _objects(response.text)))
        return found

    def discard(self, batch: str) -> None:
        told = self._json("GET", f"batches/{batch}")
        for key in ("input_file_id", "output_file_id", "error_file_id"):
            if told.get(key):
                with self._bounds.call():
                    called(self._http, "DELETE", f"files/{told[key]}", self._secret)

    def _json(self, method: str, path: str, **sent: Any) -> Any:
        with self._bounds.call():
            found = content_of(called(self._http, method, path, self._secret, **sent), self._secret)
        if not isinstance(found, dict):
            raise Failed("garbled", "the response is no object", charged=None)
        return found

    def _outcome(self, line: Mapping[str, Any]) -> tuple[str, Reply | Failed]:
        name, response = str(line.get("custom_id")), line.get("response") or {}
        if response.get("status_code") != 200:
            told = self._secret.hidden_in(json.dumps(line.get("error") or response))[:200]
            return name, Failed("batch", told)
        try:
            return name, reply_in(response.get("body"))
        except Failed as problem:
            return name, problem


def _line(name: str, payload: Mapping[str, Any]) -> str:
    return json.dumps({"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": payload}) + "\n"


def _objects(text: str) -> Iterator[Mapping[str, Any]]:
    """The lines of a file that are objects."""
    for line in text.splitlines():
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            yield found
