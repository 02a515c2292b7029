"""Gemini's batches, through its own package: requests inline, so that nothing has to be uploaded and deleted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from worldgauge.judge.clients.bounded import BATCH_LIMIT
from worldgauge.judge.clients.gemini import Gemini, reply_in
from worldgauge.judge.request import Failed, Reply, Request

T = TypeVar("T")
_NAME = "question"
_ENDED = ("JOB_STATE_SUCCEEDED", "JOB_STATE_FAILED", "JOB_STATE_CANCELLED", "JOB_STATE_EXPIRED")


class GeminiBatches:
    """`{model}:batchGenerateContent`."""

    most_bytes = 12 * 2**20

    def __init__(self, client: Gemini) -> None:
        self._client, self._types, self._batches = client, client.types, client.client.batches

    def submit(self, lines: Mapping[str, Request]) -> str:
        requests = [
            self._types.InlinedRequest(
                contents=self._client.contents(request), config=self._client.config(request), metadata={_NAME: name}
            )
            for name, request in lines.items()
        ]
        model = self._client.settings.sent_model
        return str(self._called(lambda: self._batches.create(model=model, src=requests)).name)

    def collect(self, batch: str) -> Mapping[str, Reply | Failed] | None:
        job = self._called(lambda: self._batches.get(name=batch))
        if getattr(job.state, "value", job.state) not in _ENDED:
            return None
        lines = (job.dest.inlined_responses if job.dest is not None else None) or []
        return {str((line.metadata or {}).get(_NAME)): self._outcome(line) for line in lines}

    def discard(self, batch: str) -> None:
        self._called(lambda: self._batches.delete(name=batch))

    def _outcome(self, line: Any) -> Reply | Failed:
        if line.response is None:
            words = getattr(line.error, "message", None) or "no response"
            return Failed("batch", self._client.secret.hidden_in(str(words))[:200])
        return reply_in(line.response)

    def _called(self, call: Callable[[], T]) -> T:
        with self._client.bounds.call(BATCH_LIMIT), self._client.failing():
            return call()
