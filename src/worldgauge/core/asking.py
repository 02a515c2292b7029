"""Instruments that are asked and waited for, not computed: many questions at once, each with a price."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from worldgauge.core.errors import Outcome, Unavailable
from worldgauge.core.instrument import Instrument

if TYPE_CHECKING:
    from worldgauge.core.purse import Purse
    from worldgauge.core.signal import Arrays

OnAsked = Callable[[Mapping[str, float]], None]
"""Takes the counts of a run's questions whenever they change: answered, waiting, retried, spent."""

OFFLINE = "WORLDGAUGE_OFFLINE"
"""Environment variable of `--offline`: with it nobody is asked who is not on this machine."""

TRANSCRIPT = "transcript"
"""Array in a stored answer, for people: the bytes of a JSON list of question, answer and reason; where the signal says
so, also the answer that passes, what the question is about, and its id."""

BALLOTS = "ballots"
"""Array in a stored answer that several gave, or one gave several times: the bytes of a JSON list, see `Ballot`."""

ABOUT: ContextVar[str] = ContextVar("ABOUT", default="")
"""The case that is asked about, for what is written down."""


def is_asked(described: Mapping[str, Any]) -> bool:
    """Whether a signal, as `run.json` describes it, rests on answers: who is asked names the prompts for it."""
    instrument = described.get("instrument") or {}
    asked = instrument.get("prompts") or instrument.get("judges")
    return bool(asked) or any(map(is_asked, described.get("needs", ())))


class Unanswered(Unavailable):
    """The one who was asked gave no answer that can be read. Status `unscored`; asked again on the next run."""


class NotUnderstood(Unanswered):
    """The one who was asked refused, or replied what cannot be read: a clip may be the reason."""


class OutOfMoney(Unanswered):
    """The purse would not hold the highest price of the next call."""


@dataclass(frozen=True)
class Spending:
    """What one command may spend on answers; None: no limit."""

    cost: float | None = None
    calls: int | None = None

    def without(self, cost: float, calls: int) -> Spending:
        """What is left of it.

        >>> Spending(calls=3).without(0.5, 2)
        Spending(cost=None, calls=1)
        """
        left = None if self.cost is None else max(0.0, self.cost - cost)
        return Spending(left, None if self.calls is None else max(0, self.calls - calls))


@dataclass(frozen=True)
class Expected:
    """What answers will take, before anybody is asked. Prices are None where nobody has said any."""

    calls: int = 0
    images: int = 0
    tokens: tuple[int, int] = (0, 0)
    """Fewest and most, in and out together, without repeats after faults."""
    cost: tuple[float, float] | None = (0.0, 0.0)
    likely: float | None = 0.0
    """The cost to be expected: by the provider's own rule for pictures and a reply of usual length."""

    def __add__(self, other: Expected) -> Expected:
        cost = None
        if self.cost is not None and other.cost is not None:
            cost = (self.cost[0] + other.cost[0], self.cost[1] + other.cost[1])
        return Expected(
            self.calls + other.calls,
            self.images + other.images,
            (self.tokens[0] + other.tokens[0], self.tokens[1] + other.tokens[1]),
            cost,
            None if self.likely is None or other.likely is None else self.likely + other.likely,
        )


class Estimated(Outcome):
    """Raised in place of an answer when a question is only looked at, for its price."""

    def __init__(self, questions: Mapping[str, Expected]) -> None:
        """`questions`: what is asked, by the key of its answer, and what that takes."""
        super().__init__("estimated")
        self.questions = questions


class KeptAnswers(Protocol):
    """Answers under the digest of everything that was asked, whoever asks."""

    def holding(self, key: str) -> AbstractContextManager[Any]:
        """While one asks, others who ask the same wait, and then find the answer."""
        ...

    def load(self, key: str) -> Arrays | None: ...

    def save(self, key: str, arrays: Arrays, identity: Mapping[str, Any]) -> None: ...


class CallLost(Exception):
    """Who made a call on another machine is gone; nobody knows whether the question was put."""


@dataclass(frozen=True)
class Connection:
    """What is asked through, for who opens it on another machine."""

    opens: Callable[[], Callable[[Any], Any]]
    """Makes there what takes a request and gives the reply, or why there is none. It travels."""
    holds_model: bool
    """Whether a model is loaded, which wants a GPU; else a server is waited for."""
    at_once: int
    """Calls in the air."""
    key_variable: str = ""
    """The environment variable with the key, where there is one."""


class Caller(Protocol):
    """Calls on other machines, from many threads at once."""

    def call(self, request: Any) -> Any:
        """What came of a request. Raises `CallLost`."""
        ...

    def close(self) -> None: ...


OpensJudge = Callable[[Connection], "Caller | None"]
"""Takes a connection to other machines; None where this process is to open it."""


@dataclass(frozen=True)
class Shared:
    """What all who ask in one command have in common."""

    answers: KeptAnswers | None
    purse: Purse
    opens: OpensJudge | None = None
    """Who opens the connection to a judge; None: each does so itself, in this process."""


@dataclass(frozen=True)
class AskedInstrument(Instrument):
    """Base of what takes a seat in `ASKED_SEATS`. A run asks it in threads of the main process, beside the workers."""

    @property
    @abstractmethod
    def concurrency(self) -> int:
        """Questions that may wait for an answer at once."""

    @property
    @abstractmethod
    def place(self) -> str:
        """The host that gets frames and texts; empty where they stay in this process."""

    @property
    def places(self) -> tuple[str, ...]:
        """Every host that gets frames and texts and is not this machine."""
        return () if self.is_here else (self.place,)

    @property
    @abstractmethod
    def is_here(self) -> bool:
        """Whether nothing leaves this machine."""

    @abstractmethod
    def estimator(self) -> Any:
        """What stands in for it in a signal's function, and raises `Estimated` when it is asked."""

    def for_signal(self, signal: str, form: Mapping[str, Any]) -> AskedInstrument:
        """The same instrument as one signal asks it: `form` has the settings of the official question, which apply
        where the user has stated no other."""
        return self

    @property
    def ballots(self) -> int:
        """Answers that each question is given, by one or by several."""
        return 1

    @abstractmethod
    def begin(
        self,
        folder: Path,
        spending: Spending,
        stop: threading.Event,
        on_asked: OnAsked,
        shared: Shared | None = None,
    ) -> None:
        """Before the first question of a run; attempts are written down in `folder`. What is `shared` with others who
        ask has the purse for all of them, in place of `spending`."""

    @abstractmethod
    def finish(self) -> dict[str, float]:
        """After the last one: what was counted, for the run's record."""

    @abstractmethod
    def remarks(self) -> list[str]:
        """What a user should know about the answers of this run."""
