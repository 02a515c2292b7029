"""Rows that go straight from the signal that makes them to the one that reads them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from worldgauge.core.errors import Unscored
from worldgauge.core.frozen import freeze
from worldgauge.core.reasons import OF_THE_CASE
from worldgauge.core.signal import Arrays, SignalUse


class Passing:
    """Rows on their way to the one signal that reads them: computed as it asks, held by nobody."""

    def __init__(self, call: Callable[[], Iterator[Arrays]], done: Callable[[float], None], use: SignalUse) -> None:
        self._call = call
        self._done = done
        self._use = use

    def __iter__(self) -> Iterator[Arrays]:
        seconds, stacks = 0.0, self._call()
        try:
            while True:
                started = time.perf_counter()
                stack = next(stacks, None)
                seconds += time.perf_counter() - started
                if stack is None:
                    return
                yield freeze(dict(stack))
        except Unscored as outcome:
            raise blamed(outcome, self._use) from outcome
        finally:
            self._done(seconds)


def blamed(outcome: Unscored, use: SignalUse) -> Unscored:
    """The outcome with the code of who caused it: what a reference is like is no fault of a model."""
    return outcome if use.of == "video" else Unscored(outcome.message, outcome.hint, OF_THE_CASE)
