"""Asking: the format ladder over the transport ladder, every attempt paid from the purse and written down."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from worldgauge.core.asking import ABOUT, BALLOTS, TRANSCRIPT, NotUnderstood, OnAsked, Unanswered
from worldgauge.core.canonical import canonical_json, digest_of, short
from worldgauge.core.prompts import read_prompt
from worldgauge.core.purse import Purse
from worldgauge.core.signal import Arrays
from worldgauge.judge.batched import Batched
from worldgauge.judge.forms import Form, Unreadable, object_in
from worldgauge.judge.ledger import Attempt, Ledger
from worldgauge.judge.line import Line
from worldgauge.judge.rendering import render
from worldgauge.judge.request import Client, Failed, Reply, Request, Turn
from worldgauge.judge.secrets import Secret
from worldgauge.judge.tokens import Price, bounds

REPAIRS = 2
"""Further replies that are asked for when one does not fit its form."""
REPAIR_PROMPT = "worldgauge.judge:repair"


@dataclass(frozen=True)
class Answer:
    """What a judge answered."""

    value: Any
    """As the form reads it: plain data."""
    raw: tuple[str, ...]
    """Every reply, the one that was read last."""
    model: str
    """Who answered, as the provider tells it."""
    scores: Mapping[str, float] | None = None
    """Probability of each choice, from a judge whose logits can be read."""
    ballots: Sequence[Mapping[str, Any]] = ()
    """What it was made from, where several answers became one."""

    @classmethod
    def of(cls, arrays: Arrays) -> Answer:
        """An answer as it lay in the store."""
        raw, scores = json.loads(unpacked(arrays["raw"])), json.loads(unpacked(arrays["scores"]))
        return cls(answer_in(arrays), tuple(raw), unpacked(arrays["model"]), scores or None)

    def arrays(self, frames: Sequence[int] = (), told: Sequence[Sequence[str]] = ()) -> Arrays:
        """As it lies in the store; `frames` are the frame numbers that were sent, `told` is for people: question,
        answer and reason of each, and where they are known the answer that passes, what it is about, and its id."""
        several = {BALLOTS: packed(canonical_json(list(self.ballots)))} if self.ballots else {}
        return several | {
            "answer": packed(canonical_json(self.value)),
            "raw": packed(json.dumps(self.raw)),
            "model": packed(self.model),
            "frames": np.array(frames, np.int64),
            TRANSCRIPT: packed(json.dumps([list(row) for row in told])),
            "scores": packed(canonical_json(dict(self.scores or {}))),
        }


def packed(text: str) -> np.ndarray:
    """A text as an array of its bytes."""
    return np.frombuffer(text.encode("utf-8", "backslashreplace"), np.uint8).copy()


def unpacked(array: np.ndarray) -> str:
    """
    >>> unpacked(packed("yes"))
    'yes'
    """
    return array.tobytes().decode("utf-8")


def answer_in(arrays: Arrays) -> Any:
    """The value of a stored answer."""
    return json.loads(unpacked(arrays["answer"]))


def _cut_off(reply: Reply, request: Request) -> Unanswered:
    """Why there is no answer where the limit of tokens ended the reply: the settings are the reason, not the clip."""
    usage, limit = reply.usage, request.decoding.max_tokens
    thoughts = f", {usage.thoughts} of them thoughts" if usage is not None and usage.thoughts else ""
    words = "the provider's own limit" if limit is None else f"{limit} tokens{thoughts}"
    return Unanswered(
        f"the judge's reply was cut off after {words}" + (", the second and larger limit" if request.again else ""),
        "raise max_tokens or longest_reply of the judge, or limit its thoughts with effort or thinking_tokens",
    )


class Session:
    """One judge during one run; asked from many threads."""

    def __init__(
        self,
        client: Client,
        line: Line,
        purse: Purse,
        ledger: Ledger | None,
        price: Price | None,
        secret: Secret,
        on_asked: OnAsked = lambda _: None,
        concurrency: int = 1024,
    ) -> None:
        """`concurrency`: calls that may be in the air at once."""
        self._room = threading.BoundedSemaphore(concurrency)
        self.client, self.line, self.purse, self.price = client, line, purse, price
        self._ledger, self._secret, self._on_asked = ledger, secret, on_asked
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self.models: Counter[str] = Counter()
        """Who answered how often, as the provider tells it."""

    def ask(self, request: Request, form: Form, about: str = "") -> Answer:
        """The answer in the form asked for. Raises `Unanswered` where the judge refuses or cannot be read."""
        self._count("waiting", 1)
        try:
            answer = self._ask(request, form, about)
            self._count("answered", 1)
            return answer
        except Unanswered:
            self._count("unanswered", 1)
            raise
        finally:
            self._count("waiting", -1)

    def close(self) -> None:
        self.client.close()
        if self._ledger is not None:
            self._ledger.close()

    def state(self) -> dict[str, float]:
        """How things stand: answered, unanswered, waiting, calls, retried, spent."""
        with self._lock:
            counts = {name: float(self._counts[name]) for name in ("answered", "unanswered", "waiting", "repaired")}
        return {**counts, "retried": float(self.line.retried), **self.purse.state()}

    def _ask(self, request: Request, form: Form, about: str) -> Answer:
        question = short(digest_of([request.system, request.text, dict(form.schema)]))
        schema, raw, earlier = canonical_json(dict(form.schema)), list[str](), None
        for repair in range(1 + REPAIRS):
            call = partial(self._attempt, question=question, about=about, repair=repair, schema=schema)
            reply, request = self._uncut(request, call, raw)
            text = raw[-1]
            if reply.refusal:
                raise NotUnderstood(f"the judge refuses to answer ({self._secret.hidden_in(reply.refusal)[:200]})")
            if reply.cut:
                break
            try:
                content = object_in(text)
                value = form.read(content if request.translate is None else request.translate(content), earlier)
                return Answer(value, tuple(raw), reply.model, reply.scores)
            except Unreadable as problem:
                earlier = problem.partial if problem.partial is not None else earlier
                last = problem.problem
                if request.translate is not None:
                    # A request in the authors' words is put once, as they put it.
                    break
                if repair < REPAIRS:
                    self._count("repaired", 1)
                    complaint = render(REPAIR_PROMPT, read_prompt(REPAIR_PROMPT), {"problem": last, "schema": schema})
                    request = replace(request, turns=(*request.turns, Turn(text, complaint)))
        settled = form.settled(earlier) if earlier is not None else None
        if settled is not None:
            return Answer(settled, tuple(raw), reply.model)
        if reply.cut:
            raise _cut_off(reply, request)
        times = "" if request.translate is not None else f", {1 + REPAIRS} times"
        raise NotUnderstood(f"the judge's reply could not be read{times}: {last[:300]}")

    def _uncut(self, request: Request, call: Callable[[Request], Reply], raw: list[str]) -> tuple[Reply, Request]:
        """The reply to a request, and the request that brought it: one that was cut off is requested once more with a
        larger limit, since the same limit would cut it again. The text of each reply is added to `raw`."""
        while True:
            reply = self.line.call(partial(call, request))
            # Before anything is read: a server may echo the key anywhere, also in the answer's reason.
            raw.append(self._secret.hidden_in(reply.text))
            longer = request.decoding.longer() if reply.cut and not request.again else None
            if longer is None or reply.refusal:
                return reply, request
            self._count("repaired", 1)
            request = replace(request, decoding=longer, again=True)

    def _attempt(self, request: Request, question: str, about: str, repair: int, schema: str) -> Reply:
        """One call: reserve, send, settle, write down."""
        with self._room:
            return self._call(request, question, about, repair, schema)

    def _call(self, request: Request, question: str, about: str, repair: int, schema: str) -> Reply:
        _, most = bounds(request, schema)
        share = self.client.share(request) if isinstance(self.client, Batched) else 1.0
        reservation = self.purse.reserve(share * self.price.of(most) if self.price else 0.0)
        began, clock = time.time(), time.perf_counter()
        reply: Reply | None = None
        cost: float | None = None
        outcome, raw = "error", ""
        try:
            reply = self.client.send(request)
            usage = reply.usage
            cost = 0.0 if self.price is None else share * self.price.of(usage) if usage is not None else None
            outcome, raw = ("refused", reply.refusal) if reply.refusal else ("replied", reply.text)
            if reply.cut:
                outcome = "cut off"
            if reply.wait:
                self.line.hold(reply.wait)
            return reply
        except Failed as problem:
            cost = None if problem.charged is None else 0.0
            outcome, raw = problem.kind, problem.reason
            raise
        finally:
            self.purse.settle(reservation, cost)
            if reply is not None:
                with self._lock:
                    self.models[reply.model] += 1
            if self._ledger is not None:
                usage = reply.usage if reply is not None else None
                self._ledger.note(
                    Attempt(
                        time=began,
                        seconds=round(time.perf_counter() - clock, 6),
                        about=" ".join(filter(None, (ABOUT.get(), about))),
                        question=question,
                        repair=repair,
                        outcome=outcome,
                        tokens_in=usage.tokens_in if usage else None,
                        tokens_out=usage.tokens_out if usage else None,
                        thoughts=(usage.thoughts or None) if usage else None,
                        cost=cost,
                        reserved=reservation.price,
                        model=reply.model if reply is not None else "",
                        raw=self._secret.hidden_in(raw),
                    )
                )
            self._on_asked(self.state())

    def _count(self, name: str, change: int) -> None:
        with self._lock:
            self._counts[name] += change
        self._on_asked(self.state())
