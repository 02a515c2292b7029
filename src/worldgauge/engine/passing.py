"""Rows that go straight from the signal that makes them to the one that reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from worldgauge.core.errors import Unscored
from worldgauge.core.frozen import freeze
from worldgauge.core.reasons import OF_THE_CASE
from worldgauge.core.signal import Arrays, SignalUse
from worldgauge.engine.rates import Elapsed, Moment


class Passing:
    """Rows on their way to the one signal that reads them: computed as it asks, held by nobody."""

    def __init__(self, call: Callable[[], Iterator[Arrays]], done: Callable[[Elapsed], None], use: SignalUse) -> None:
        self._call = call
        self._done = done
        self._use = use

    def __iter__(self) -> Iterator[Arrays]:
        took, stacks = Elapsed(), self._call()
        try:
            while True:
                started = Moment.now()
                stack = next(stacks, None)
                took = took.plus(Elapsed.since(started))
                if stack is None:
                    return
                yield freeze(dict(stack))
        except Unscored as outcome:
            raise blamed(outcome, self._use) from outcome
        finally:
            self._done(took)


def blamed(outcome: Unscored, use: SignalUse) -> Unscored:
    """The outcome with the code of who caused it: what a reference is like is no fault of a model."""
    return outcome if use.of == "video" else Unscored(outcome.message, outcome.hint, OF_THE_CASE)
