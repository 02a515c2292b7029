"""The judge as an instrument: what changes an answer is its identity, where it sits and what it costs is not."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar

from worldgauge.core.asking import AskedInstrument, Estimated, Expected, OnAsked, Spending, Unanswered
from worldgauge.core.canonical import canonical_json, digest_of
from worldgauge.core.clip import Clip
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.file_digests import digest_file
from worldgauge.core.prompts import digest_of_prompt, read_prompt
from worldgauge.judge.clients.open import open_client, why_not
from worldgauge.judge.exhibits import Inquiry, described, shown
from worldgauge.judge.forms import Form
from worldgauge.judge.kept_answers import KeptAnswers
from worldgauge.judge.ledger import Ledger
from worldgauge.judge.line import Line
from worldgauge.judge.material import Material, describe, show
from worldgauge.judge.purse import Purse
from worldgauge.judge.rendering import render
from worldgauge.judge.request import Decoding, Request
from worldgauge.judge.secrets import Secret
from worldgauge.judge.session import REPAIR_PROMPT, Answer, Session
from worldgauge.judge.settings import Settings
from worldgauge.judge.tokens import bounds

SYSTEM_PROMPT = "worldgauge.judge:system"


@dataclass(frozen=True)
class Judge(AskedInstrument):
    """A vision-language model. The fields are what may change an answer; `settings` say how it is reached."""

    seat: ClassVar[str] = "judge"
    name: ClassVar[str] = "judge"
    memory: ClassVar[float] = 0.0

    client: str = ""
    model: str = ""
    snapshot: str = ""
    temperature: float | None = 0.0
    seed: int | None = 0
    max_tokens: int = 2048
    frames: int = 16
    image_side: int = 512
    send: str = "frames"
    structured: bool = True
    logits: bool = False
    script: str = ""
    """Digest of a scripted judge's file and function."""
    settings: Settings | None = field(default=None, compare=False)
    replays: bool = field(default=False, compare=False)
    """Whether only stored answers count and nobody is asked."""

    @property
    def parameters(self) -> dict[str, Any]:
        shown = (one.name for one in fields(self) if one.compare)
        return {name: getattr(self, name) for name in shown}

    def identity(self) -> dict[str, Any]:
        texts = {name: digest_of_prompt(name) for name in (SYSTEM_PROMPT, REPAIR_PROMPT)}
        return {"name": self.name, "version": self.version, "parameters": self.parameters, "prompts": texts}

    def unavailable(self) -> str | None:
        if self.replays:
            return None
        if self.settings is None:
            return "nobody has said where it can be reached; name a judge with --judge"
        return why_not(self.settings)

    @property
    def concurrency(self) -> int:
        return 1 if self.settings is None else self.settings.concurrency

    @property
    def place(self) -> str:
        return "" if self.settings is None or self.replays else self.settings.host

    @property
    def is_here(self) -> bool:
        return self.settings is None or self.replays or self.settings.is_here

    def estimator(self) -> _Estimator:
        return _Estimator(self)

    def begin(self, folder: Path, spending: Spending, stop: threading.Event, on_asked: OnAsked) -> None:
        if self.replays or self.settings is None:
            return
        settings = self.settings
        if spending.cost is not None and settings.price is None:
            raise WorldGaugeError(
                f"--max-cost needs the price of judge '{settings.name}'",
                "write price_in and price_out (of a million tokens; 0 for your own machine) into its table",
            )
        session = Session(
            open_client(settings),
            Line(settings.patience, stop),
            Purse(spending),
            Ledger(folder),
            settings.price,
            Secret(settings.key_variable),
            on_asked,
            KeptAnswers(folder),
        )
        object.__setattr__(self, "_session", session)

    def finish(self) -> dict[str, float]:
        session = self._open
        if session is None:
            return {}
        session.close()
        state = session.state()
        # A call that is still in the air may be charged.
        state["unknown"] += state["reserved"]
        return {f"judge_{name}": round(state[name], 9) for name in _COUNTED}

    def remarks(self) -> list[str]:
        session = self._open
        if session is None:
            return []
        asked = self.snapshot or self.model
        others = sorted(name for name in session.models if name and name != asked and self.client != "scripted")
        told = [f"the judge answered as {', '.join(others)} where {asked} was asked"] if others else []
        state = session.state()
        if state["calls"]:
            cost = f", cost {state['spent']:.4f}" if self.settings and self.settings.price else ""
            more = f" and at most {state['unknown']:.4f} that was never told" if state["unknown"] else ""
            told.append(f"{state['calls']:.0f} calls, {state['answered']:.0f} answers{cost}{more}")
        return told

    def ask(
        self,
        clip: Clip,
        prompt: str,
        values: Mapping[str, str],
        form: Form,
        about: str = "",
        rate: float | None = None,
    ) -> tuple[Answer, tuple[int, ...]]:
        """The answer to a prompt about a clip, and the numbers of the frames that were shown.

        `values` fill the prompt's places beside `material` and `schema`; texts of a case among them are fenced.
        """
        session = self._open
        if session is None or self.settings is None:
            raise Unanswered("the answer is not stored, and a replay asks nobody")
        material = show(clip, self.settings, rate)
        request = self.request(prompt, values, form, material)
        return session.ask(request, form, about), material.frames

    def ask_about(self, inquiry: Inquiry) -> tuple[Answer, tuple[int, ...]]:
        """The answer to one of several questions of a signal, and the frames that were shown.

        What was answered before a run was stopped is not asked again.
        """
        session = self._open
        if session is None or self.settings is None:
            raise Unanswered("the answer is not stored, and a replay asks nobody")
        material = shown(inquiry.exhibits)
        request = self.request(inquiry.prompt, inquiry.values, inquiry.form, material)
        return session.ask_once(request, inquiry.form, inquiry.about, self.identity()), material.frames

    def expect(self, inquiries: Sequence[Inquiry]) -> None:
        """Tell what will be asked, where that is only looked at for its price: a signal that asks several times does
        so first."""

    def request(self, prompt: str, values: Mapping[str, str], form: Form, material: Material) -> Request:
        """What is sent."""
        filled = {"schema": canonical_json(dict(form.schema)), **values, "material": material.words}
        return Request(
            system=read_prompt(SYSTEM_PROMPT).strip(),
            text=render(prompt, read_prompt(prompt), filled).strip(),
            schema=form.schema,
            pictures=material.pictures,
            film=material.film,
            decoding=Decoding(self.temperature, self.seed, self.max_tokens),
        )

    @property
    def _open(self) -> Session | None:
        return getattr(self, "_session", None)

    def __getstate__(self) -> dict[str, Any]:
        """Workers get the judge for its identity; connections and purse stay with the main process."""
        return {key: value for key, value in vars(self).items() if key != "_session"}


_COUNTED = ("calls", "answered", "unanswered", "retried", "repaired", "spent", "unknown")


class _Estimator:
    """Stands in for the judge in a signal's function, and tells what the question would cost."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def ask(
        self,
        clip: Clip,
        prompt: str,
        values: Mapping[str, str],
        form: Form,
        about: str = "",
        rate: float | None = None,
    ) -> tuple[Answer, tuple[int, ...]]:
        settings = self._judge.settings
        if settings is None or self._judge.replays:
            raise Estimated(Expected())
        raise Estimated(self._expected(prompt, values, form, describe(clip, settings, rate)))

    def expect(self, inquiries: Sequence[Inquiry]) -> None:
        total = Expected()
        if self._judge.settings is not None and not self._judge.replays:
            for one in inquiries:
                total += self._expected(one.prompt, one.values, one.form, described(one.exhibits))
        raise Estimated(total)

    def _expected(self, prompt: str, values: Mapping[str, str], form: Form, material: Material) -> Expected:
        assert self._judge.settings is not None
        request = self._judge.request(prompt, values, form, material)
        least, most = bounds(request, canonical_json(dict(form.schema)))
        price = self._judge.settings.price
        return Expected(
            calls=1,
            images=len(material.pictures),
            tokens=(least.tokens_in + least.tokens_out, most.tokens_in + most.tokens_out),
            cost=None if price is None else (price.of(least), price.of(most)),
        )


def judge_of(settings: Settings, replays: bool = False) -> Judge:
    """The instrument of a configured judge."""
    from worldgauge.judge.clients.scripted import script_file

    own = {one.name for one in fields(Judge) if one.compare} - {"script"}
    values = {name: value for name, value in settings.model_dump().items() if name in own}
    if settings.client == "anthropic":
        # What the protocol does not take must not stand in the key as if it were kept.
        values["seed"] = None
        if "temperature" not in settings.model_fields_set:
            values["temperature"] = None
    script = ""
    if settings.client == "scripted":
        file = script_file(settings.function)
        if not file.is_file():
            raise WorldGaugeError(f"scripted judge: {file} does not exist", "name it as FILE.py:FUNCTION")
        script = digest_of([digest_file(file), settings.function.rpartition(":")[2]])
    return Judge(**values, script=script, settings=settings, replays=replays)
