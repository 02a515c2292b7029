"""Anthropic's message batches, through its own package."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from worldgauge.judge.clients.anthropic_messages import AnthropicMessages, reply_in
from worldgauge.judge.clients.bounded import BATCH_LIMIT
from worldgauge.judge.request import Failed, Reply, Request

T = TypeVar("T")


class AnthropicBatches:
    """`{endpoint}/v1/messages/batches`."""

    most_bytes = 150 * 2**20

    def __init__(self, client: AnthropicMessages) -> None:
        self._client = client
        self._batches = client.client.messages.batches

    def submit(self, lines: Mapping[str, Request]) -> str:
        requests = [{"custom_id": name, "params": self._params(request)} for name, request in lines.items()]
        return str(self._called(lambda: self._batches.create(requests=requests)).id)

    def collect(self, batch: str) -> Mapping[str, Reply | Failed] | None:
        if self._called(lambda: self._batches.retrieve(batch)).processing_status != "ended":
            return None
        lines = self._called(lambda: list(self._batches.results(batch)))
        return {str(line.custom_id): self._outcome(line.result) for line in lines}

    def discard(self, batch: str) -> None:
        self._called(lambda: self._batches.delete(batch))

    def _params(self, request: Request) -> dict[str, Any]:
        payload = self._client.payload(request)
        further = payload.pop("extra_body", {})
        return {**payload, **further}

    def _outcome(self, result: Any) -> Reply | Failed:
        told = json.loads(result.model_dump_json())
        if told.get("type") != "succeeded":
            words = json.dumps(told.get("error") or told.get("type"))
            return Failed("batch", self._client.secret.hidden_in(words)[:200])
        return reply_in(told["message"])

    def _called(self, call: Callable[[], T]) -> T:
        with self._client.bounds.call(BATCH_LIMIT), self._client.failing():
            return call()
