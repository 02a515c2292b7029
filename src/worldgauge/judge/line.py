"""The transport ladder: waiting as a server asks, jittered back-off, and a breaker for one that is down."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from worldgauge.core.asking import Unanswered
from worldgauge.judge.request import Denied, Failed

T = TypeVar("T")


@dataclass(frozen=True)
class Patience:
    """How long one goes on."""

    attempts: int = 6
    """Calls for one question before it is given up."""
    first: float = 0.5
    """Seconds before the second attempt; doubled each time."""
    longest: float = 30.0
    """Seconds between two attempts, at most; what a server asks for may be longer."""
    asked: float = 120.0
    """Seconds that a server may ask to wait."""
    breaker: int = 12
    """Failures in a row, of all questions together, after which nobody calls for a while."""
    cool_down: float = 5.0
    openings: int = 4
    """Times nobody called for a while, one after the other: then the endpoint is down."""


class Line:
    """What all questions to one endpoint share."""

    def __init__(self, patience: Patience, stop: threading.Event) -> None:
        self._patience = patience
        self._stop = stop
        self._lock = threading.Lock()
        self._not_before = 0.0
        self._in_a_row = 0
        self._openings = 0
        self._random = random.Random()
        self._down = ""
        self.retried = 0

    def call(self, attempt: Callable[[], T]) -> T:
        """The attempt's result; tried again as often as patience lasts. Raises `Unanswered`."""
        most = self._patience.attempts
        for number in range(1, most + 1):
            self._wait_for_turn()
            try:
                result = attempt()
            except Denied as problem:
                self._give_up(problem.reason)
                raise Unanswered(problem.reason) from None
            except Failed as problem:
                self._note(problem)
                if not problem.again:
                    raise Unanswered(problem.reason) from None
                if number == most:
                    raise Unanswered(f"{problem.reason}, the last of {most} attempts") from None
                with self._lock:
                    self.retried += 1
                self._sleep(self._pause(problem, number))
            else:
                self._succeeded()
                return result
        raise AssertionError("unreachable")

    def hold(self, seconds: float) -> None:
        """Nobody calls for that long: the server has said that it would refuse."""
        with self._lock:
            self._not_before = max(self._not_before, time.monotonic() + min(seconds, self._patience.asked))

    def _wait_for_turn(self) -> None:
        while True:
            if self._down:
                raise Unanswered(self._down)
            with self._lock:
                wait = self._not_before - time.monotonic()
            if wait <= 0:
                return
            self._sleep(wait)

    def _note(self, problem: Failed) -> None:
        if problem.kind == "429" and problem.after is not None:
            self.hold(problem.after)
        # A batch fails for all who wait for it at once: that is one fault, not a row of them.
        if problem.kind in ("429", "batch") or not problem.again:
            return
        with self._lock:
            self._in_a_row += 1
            if self._in_a_row < self._patience.breaker:
                return
            self._in_a_row = 0
            self._openings += 1
            if self._openings >= self._patience.openings:
                self._down = f"the endpoint is down: {problem.reason}"
                return
            pause = self._patience.cool_down * 2 ** (self._openings - 1)
            self._not_before = max(self._not_before, time.monotonic() + pause)

    def _succeeded(self) -> None:
        with self._lock:
            self._in_a_row = self._openings = 0

    def _give_up(self, reason: str) -> None:
        with self._lock:
            self._down = self._down or reason

    def _pause(self, problem: Failed, number: int) -> float:
        """Between half of the back-off and the whole, so that those who failed together do not come back together."""
        backoff = min(self._patience.first * 2.0 ** (number - 1), self._patience.longest)
        jittered = backoff * self._random.uniform(0.5, 1.0)
        return max(jittered, min(problem.after or 0.0, self._patience.asked))

    def _sleep(self, seconds: float) -> None:
        if self._stop.wait(seconds):
            raise Unanswered("the run was stopped before the judge answered", "run the same command again to go on")
