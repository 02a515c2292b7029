"""Questions by a provider's batch endpoint: gathered, sent together, looked at now and then, for a part of the price.

What a batch does not answer, because a line failed or the whole expired, is asked like any other question. Which lines
are in which batch stands in the ledger, so that a command that goes on collects what was sent and sends nothing twice.
"""

from __future__ import annotations

import hashlib
import queue
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future, TimeoutError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from worldgauge.core.canonical import digest_of
from worldgauge.judge.ledger import Ledger, SentBatch, open_batches
from worldgauge.judge.request import Client, Failed, Reply, Request
from worldgauge.judge.settings import Settings

_MOST_LOOKS = 20
"""Looks at a batch that fail one after the other, before its lines are given up."""
_STOPPED = "the run was stopped before the batch was done; the same command collects it"


class BatchProvider(Protocol):
    """One provider's batches."""

    most_bytes: int
    """Of the pictures in one batch."""

    def submit(self, lines: Mapping[str, Request]) -> str:
        """Send requests by their names; the batch's own name."""
        ...

    def collect(self, batch: str) -> Mapping[str, Reply | Failed] | None:
        """What became of each line that is told; None while the batch is being worked on."""
        ...

    def discard(self, batch: str) -> None:
        """Delete what the provider keeps of it."""
        ...


@dataclass
class _Line:
    request: Request
    coming: Future[Reply] = field(default_factory=Future)
    batch: str = ""
    """Where it was sent; empty before."""


class Batched:
    """A client in front of another: what is asked for the first time goes by batch, all else at once."""

    def __init__(
        self, client: Client, provider: BatchProvider, settings: Settings, ledger: Ledger, stop: threading.Event
    ) -> None:
        self._client, self._provider, self._settings, self._ledger = client, provider, settings, ledger
        self._stop = stop
        self._lock = threading.Lock()
        self._plain: set[str] = set()
        """Lines that no batch has answered; they are asked at once."""
        self._left = {batch.batch: set(batch.lines) for batch in open_batches(ledger.path.parent)}
        """Batch to its lines that nobody has been handed."""
        self._before = {line: batch for batch, lines in self._left.items() for line in lines}
        self._new: queue.SimpleQueue[tuple[str, _Line] | None] = queue.SimpleQueue()
        self._sent: dict[str, dict[str, _Line]] = {}
        self._failed_looks: dict[str, int] = {}
        self._done: dict[str, tuple[str, ...]] = {}
        """Batch to its lines that were handed over in this run."""
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def share(self, request: Request) -> float:
        """The part of the price that a request will cost."""
        return self._settings.batch_share if self._goes(request) else 1.0

    def send(self, request: Request) -> Reply:
        if not self._goes(request):
            return self._client.send(request)
        name, line = self._name(request), _Line(request)
        self._new.put((name, line))
        while True:
            try:
                return line.coming.result(timeout=0.2)
            except TimeoutError:
                if self._stop.is_set():
                    raise Failed("batch", _STOPPED, charged=None if line.batch else False, again=False) from None
            except Failed:
                with self._lock:
                    self._plain.add(name)
                raise

    def close(self) -> None:
        self._new.put(None)
        self._thread.join()
        for batch, lines in self._done.items():
            # What rests on them is stored by now.
            self._ledger.note(SentBatch(time=time.time(), batch=batch, state="done", lines=lines))
            if not self._left[batch]:
                # What cannot be deleted expires by itself.
                with suppress(Failed):
                    self._provider.discard(batch)
        self._client.close()

    def _goes(self, request: Request) -> bool:
        """A repair, and a request whose first reply was cut off, wait for nothing: they are sent at once."""
        if request.turns or request.again:
            return False
        name = self._name(request)
        with self._lock:
            return name not in self._plain

    def _name(self, request: Request) -> str:
        """The digest of all that is asked, of whom."""
        files = [picture.data for picture in request.pictures] + ([request.film.data] if request.film else [])
        decoding, settings = request.decoding, self._settings
        thinking = [settings.effort, settings.thinking_tokens, settings.options]
        return digest_of(
            {
                "asked": [self._settings.address, self._settings.sent_model],
                "texts": [request.system, request.text],
                "schema": dict(request.schema),
                "files": [hashlib.sha256(file).hexdigest() for file in files],
                "decoding": [decoding.temperature, decoding.seed, decoding.max_tokens],
                "take": request.take,
                **({"thinking": thinking} if any(one not in ("", None, {}) for one in thinking) else {}),
            }
        )[:32]

    def _work(self) -> None:
        gathered: dict[str, _Line] = {}
        latest, looked, size = 0.0, 0.0, 0
        tick = min(0.5, self._settings.batch_pause / 4, self._settings.batch_look / 2)
        while True:
            try:
                came = self._new.get(timeout=max(tick, 0.005))
                if came is None:
                    return
                name, line = came
                latest = time.monotonic()
                if name in self._before:
                    line.batch = self._before[name]
                    self._sent.setdefault(line.batch, {})[name] = line
                else:
                    gathered[name] = line
                    size += sum(len(picture.data) for picture in line.request.pictures)
            except queue.Empty:
                pass
            now = time.monotonic()
            if gathered and (size >= self._provider.most_bytes or now - latest >= self._settings.batch_pause):
                self._submit(gathered)
                gathered, size = {}, 0
            if now - looked >= self._settings.batch_look:
                for batch in list(self._sent):
                    self._look(batch)
                looked = time.monotonic()

    def _submit(self, lines: dict[str, _Line]) -> None:
        problem: Failed | None = None
        for number in range(self._settings.attempts):
            try:
                batch = self._provider.submit({name: line.request for name, line in lines.items()})
            except Failed as failure:
                problem = failure
                # Where nobody knows whether it came to a batch, a second one might ask everything twice.
                if not failure.again or failure.charged is None or self._stop.wait(failure.after or 0.0):
                    break
                if self._stop.wait(self._settings.backoff * 2**number):
                    break
            else:
                self._ledger.note(SentBatch(time=time.time(), batch=batch, state="sent", lines=tuple(lines)))
                for line in lines.values():
                    line.batch = batch
                self._sent[batch], self._left[batch] = lines, set(lines)
                return
        assert problem is not None
        for line in lines.values():
            line.coming.set_exception(_of_the_batch(problem.reason, problem.charged))

    def _look(self, batch: str) -> None:
        try:
            told = self._provider.collect(batch)
        except Failed as problem:
            self._failed_looks[batch] = self._failed_looks.get(batch, 0) + 1
            if not problem.again or self._failed_looks[batch] >= _MOST_LOOKS:
                for line in self._sent.pop(batch).values():
                    line.coming.set_exception(_of_the_batch(problem.reason, None))
            return
        self._failed_looks.pop(batch, None)
        if told is None:
            return
        lines = self._sent.pop(batch)
        self._done[batch] = (*self._done.get(batch, ()), *lines)
        self._left[batch] -= lines.keys()
        for name, line in lines.items():
            outcome = told.get(name)
            if isinstance(outcome, Reply):
                line.coming.set_result(outcome)
            else:
                reason = outcome.reason if outcome is not None else "the batch has no line for it"
                charged = outcome.charged if outcome is not None else False
                line.coming.set_exception(_of_the_batch(reason, charged))


def _of_the_batch(reason: str, charged: bool | None) -> Failed:
    return Failed("batch", f"not answered by batch: {reason}", charged=charged)
