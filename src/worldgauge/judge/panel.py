"""Several judges, or one that is asked several times: each answer is kept by itself, and votes make one of them."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from worldgauge.core.asking import (
    AskedInstrument,
    Estimated,
    Expected,
    NotUnderstood,
    OnAsked,
    OutOfMoney,
    Shared,
    Spending,
    Unanswered,
)
from worldgauge.core.clip import Clip
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.purse import Purse
from worldgauge.judge.estimator import Estimator
from worldgauge.judge.exhibits import Exhibited, Inquiry
from worldgauge.judge.forms import Form
from worldgauge.judge.instrument import Judge, Shown
from worldgauge.judge.material import Looked
from worldgauge.judge.session import Answer
from worldgauge.judge.voting import Listing, Votable, join


@dataclass(frozen=True)
class Panel(AskedInstrument):
    """Asked like a judge. An answer needs every take of every judge; those that came are not asked for again."""

    seat: ClassVar[str] = "judge"
    name: ClassVar[str] = "judge_panel"
    memory: ClassVar[float] = 0.0

    judges: tuple[Judge, ...] = ()
    takes: tuple[int, ...] = ()
    """How often each is asked."""

    @property
    def parameters(self) -> dict[str, Any]:
        return {"model": ", ".join(self.names), "takes": list(self.takes)}

    @property
    def names(self) -> list[str]:
        """Of the judges: their models, numbered where two have one name."""
        plain = [one.snapshot or one.model or f"script {one.script[:8]}" for one in self.judges]
        return [name if plain.count(name) == 1 else f"{name} ({k + 1})" for k, name in enumerate(plain)]

    @property
    def ballots(self) -> int:
        return sum(self.takes)

    def identity(self) -> dict[str, Any]:
        own = {"name": self.name, "version": self.version, "parameters": self.parameters}
        return {**own, "judges": [one.identity() for one in self.judges]}

    def unavailable(self) -> str | None:
        return next((reason for one in self.judges if (reason := one.unavailable())), None)

    def for_signal(self, signal: str, form: Mapping[str, Any]) -> Panel:
        return replace(self, judges=tuple(one.for_signal(signal, form) for one in self.judges))

    @property
    def concurrency(self) -> int:
        return max(one.concurrency for one in self.judges)

    @property
    def place(self) -> str:
        return next((one.place for one in self.judges if not one.is_here), "")

    @property
    def places(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.place for one in self.judges if not one.is_here))

    @property
    def is_here(self) -> bool:
        return all(one.is_here for one in self.judges)

    def estimator(self) -> _Estimator:
        return _Estimator(self)

    def begin(
        self,
        folder: Path,
        spending: Spending,
        stop: threading.Event,
        on_asked: OnAsked,
        shared: Shared | None = None,
    ) -> None:
        states: dict[int, Mapping[str, float]] = {}
        shared = shared or Shared(None, Purse(spending))
        for number, one in enumerate(self.judges):
            one.begin(folder, spending, stop, _adding(states, number, on_asked), shared)

    def finish(self) -> dict[str, float]:
        told = [one.finish() for one in self.judges]
        return {
            name: sum(each.get(name, 0.0) for each in told) for name in dict.fromkeys(k for each in told for k in each)
        }

    def remarks(self) -> list[str]:
        return [f"{name}: {line}" for name, one in zip(self.names, self.judges, strict=True) for line in one.remarks()]

    def ask(
        self,
        clip: Clip,
        prompt: str,
        values: Mapping[str, str],
        form: Form,
        about: str = "",
        rate: float | None = None,
        released: Mapping[str, Any] | None = None,
    ) -> Shown:
        """What the votes come to, and the frames that were shown."""
        looked = Looked(clip)
        return self._joined(form, lambda one: one.ask(clip, prompt, values, form, about, rate, looked, released))

    def inquire(self, inquiry: Inquiry) -> Shown:
        """The same of a question about exact frames."""
        exhibited = Exhibited(inquiry)
        return self._joined(inquiry.form, lambda one: one.inquire(inquiry, exhibited))

    def expect(self, inquiries: Sequence[Inquiry]) -> None:
        """Tell what will be asked; only who looks at questions for their price listens."""

    def _joined(self, form: Form, ask: Callable[[Judge], Shown]) -> Shown:
        """One answer out of those of every judge on every take."""
        if not isinstance(form, Votable | Listing):
            raise WorldGaugeError("answers of this form cannot be put together", "ask one judge, once")
        seats = list(self.sittings())
        answers = _all_or_why(seats, _all_at_once([partial(ask, one) for _, one in seats]))
        given: dict[str, list[Any]] = {}
        for (name, _), (answer, _) in zip(seats, answers, strict=True):
            given.setdefault(name, []).append(answer.value)
        raw = tuple(text for answer, _ in answers for text in answer.raw)
        models = ", ".join(dict.fromkeys(answer.model for answer, _ in answers))
        if isinstance(form, Listing):
            return Answer(form.of_lists(given), raw, models), answers[0][1]
        items, ballots = join(form.asked, {name: [form.votes(value) for value in said] for name, said in given.items()})
        return Answer(form.of_votes(items), raw, models, ballots=ballots), answers[0][1]

    def sittings(self) -> Iterator[tuple[str, Judge]]:
        """Every judge on every take."""
        for name, one, takes in zip(self.names, self.judges, self.takes, strict=True):
            for take in range(takes):
                yield name, one.on_take(take)


class _Estimator:
    """Stands in for the panel in a signal's function, and tells what the question would cost."""

    def __init__(self, panel: Panel) -> None:
        self._panel = panel

    def ask(self, *asked: Any, **named: Any) -> Shown:
        raise self._of_all(lambda one: one.ask(*asked, **named))

    def inquire(self, inquiry: Inquiry) -> Shown:
        raise self._of_all(lambda one: one.inquire(inquiry))

    def expect(self, inquiries: Sequence[Inquiry]) -> None:
        raise self._of_all(lambda one: one.expect(inquiries))

    def _of_all(self, ask: Callable[[Estimator], object]) -> Estimated:
        questions: dict[str, Expected] = {}
        for _, one in self._panel.sittings():
            try:
                ask(one.estimator())
            except Estimated as found:
                questions |= found.questions
        return Estimated(questions)


def panel_of(judges: Sequence[Judge], takes: Sequence[int]) -> Judge | Panel:
    """One judge that is asked once is itself."""
    if len(judges) == 1 and takes[0] == 1:
        return judges[0]
    return Panel(tuple(judges), tuple(takes))


def _all_at_once(calls: Sequence[Callable[[], Shown]]) -> list[Shown | BaseException]:
    """What each call returned or raised; those that came to something are kept whatever the others come to."""
    found: list[Shown | BaseException] = [Unanswered("nobody was asked")] * len(calls)

    def one(number: int) -> None:
        try:
            found[number] = calls[number]()
        except Exception as error:  # noqa: BLE001  raised again by the caller, when all are back
            found[number] = error

    # Each thread knows which case is asked about, and none keeps the process from ending.
    threads = [
        threading.Thread(target=contextvars.copy_context().run, args=(one, number), daemon=True)
        for number in range(len(calls))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def _all_or_why(seats: Sequence[tuple[str, Judge]], found: Sequence[Shown | BaseException]) -> list[Shown]:
    """Every answer; else raises why one is missing. What another try may bring comes before what it cannot."""
    problems = [
        (name, one, outcome)
        for (name, one), outcome in zip(seats, found, strict=True)
        if isinstance(outcome, BaseException)
    ]
    for name, one, outcome in sorted(problems, key=lambda problem: isinstance(problem[2], NotUnderstood)):
        if isinstance(outcome, OutOfMoney) or not isinstance(outcome, Unanswered):
            raise outcome
        kind = NotUnderstood if isinstance(outcome, NotUnderstood) else Unanswered
        raise kind(f"{name}, take {one.take + 1}: {outcome.message}", outcome.hint)
    return [outcome for outcome in found if not isinstance(outcome, BaseException)]


def _adding(states: dict[int, Mapping[str, float]], number: int, on_asked: OnAsked) -> OnAsked:
    """Tell the sums over all judges."""

    def told(state: Mapping[str, float]) -> None:
        states[number] = state
        listed = list(states.values())
        on_asked({name: sum(each.get(name, 0.0) for each in listed) for name in state})

    return told
