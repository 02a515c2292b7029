"""Asking: the format ladder over the transport ladder, every attempt paid from the purse and written down."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from worldgauge.core.asking import ABOUT, TRANSCRIPT, OnAsked, Unanswered
from worldgauge.core.canonical import canonical_json, digest_of, short
from worldgauge.core.prompts import read_prompt
from worldgauge.core.signal import Arrays
from worldgauge.judge.forms import Form, Unreadable, object_in
from worldgauge.judge.kept_answers import KeptAnswers
from worldgauge.judge.ledger import Attempt, Ledger
from worldgauge.judge.line import Line
from worldgauge.judge.purse import Purse
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

    def arrays(self, frames: Sequence[int] = (), told: Sequence[Sequence[str]] = ()) -> Arrays:
        """As it lies in the store; `frames` are the frame numbers that were sent, `told` is for people: question,
        answer and reason of each."""
        return {
            "answer": packed(canonical_json(self.value)),
            "raw": packed(json.dumps(self.raw)),
            "model": packed(self.model),
            "frames": np.array(frames, np.int64),
            TRANSCRIPT: packed(json.dumps([list(row) for row in told])),
            "scores": packed(canonical_json(dict(self.scores or {}))),
        }


def digest_of_bytes(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


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
        kept: KeptAnswers | None = None,
    ) -> None:
        """`kept`: where answers to single questions of a signal wait until it has them all."""
        self._kept = kept
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

    def ask_once(self, request: Request, form: Form, about: str, identity: Mapping[str, Any]) -> Answer:
        """As `ask`, but what this run's folder holds already is not asked again."""
        pictures = [digest_of_bytes(picture.data) for picture in request.pictures]
        key = digest_of([dict(identity), request.system, request.text, dict(form.schema), pictures])
        known = self._kept.get(key) if self._kept is not None else None
        if known is not None:
            return Answer(known["value"], tuple(known["raw"]), known["model"])
        answer = self.ask(request, form, about)
        if self._kept is not None:
            self._kept.put(key, {"value": answer.value, "raw": list(answer.raw), "model": answer.model})
        return answer

    def close(self) -> None:
        self.client.close()
        if self._kept is not None:
            self._kept.close()
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
            reply = self.line.call(partial(self._attempt, request, question, about, repair, schema))
            # Before anything is read: a server may echo the key anywhere, also in the answer's reason.
            text = self._secret.hidden_in(reply.text)
            raw.append(text)
            if reply.refusal:
                raise Unanswered(f"the judge refuses to answer ({self._secret.hidden_in(reply.refusal)[:200]})")
            try:
                if reply.cut:
                    raise Unreadable(f"the reply was cut off after {request.decoding.max_tokens} tokens")
                value = form.read(object_in(text), earlier)
                return Answer(value, tuple(raw), reply.model, reply.scores)
            except Unreadable as problem:
                earlier = problem.partial if problem.partial is not None else earlier
                last = problem.problem
                if repair < REPAIRS:
                    self._count("repaired", 1)
                    complaint = render(REPAIR_PROMPT, read_prompt(REPAIR_PROMPT), {"problem": last, "schema": schema})
                    request = replace(request, turns=(*request.turns, Turn(text, complaint)))
        settled = form.settled(earlier) if earlier is not None else None
        if settled is not None:
            return Answer(settled, tuple(raw), reply.model)
        raise Unanswered(f"the judge's reply could not be read, {1 + REPAIRS} times: {last[:300]}")

    def _attempt(self, request: Request, question: str, about: str, repair: int, schema: str) -> Reply:
        """One call: reserve, send, settle, write down."""
        _, most = bounds(request, schema)
        reservation = self.purse.reserve(self.price.of(most) if self.price else 0.0)
        began, clock = time.time(), time.perf_counter()
        reply: Reply | None = None
        cost: float | None = None
        outcome, raw = "error", ""
        try:
            reply = self.client.send(request)
            usage = reply.usage
            cost = 0.0 if self.price is None else self.price.of(usage) if usage is not None else None
            outcome, raw = ("refused", reply.refusal) if reply.refusal else ("replied", reply.text)
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
