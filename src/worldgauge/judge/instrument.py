"""The judge as an instrument: what changes an answer is its identity, where it sits and what it costs is not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from worldgauge.core.asking import (
    AskedInstrument,
    KeptAnswers,
    OnAsked,
    Shared,
    Spending,
    Unanswered,
)
from worldgauge.core.authors_code import AuthorsCode, AuthorsMessage, builder_of
from worldgauge.core.canonical import canonical_json, digest_of
from worldgauge.core.clip import Clip
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.file_digests import digest_file
from worldgauge.core.prompts import authors_entry, digest_of_prompt, read_prompt
from worldgauge.core.purse import Purse
from worldgauge.judge.clients.open import by_batch, why_not
from worldgauge.judge.elsewhere import opened
from worldgauge.judge.exhibits import Exhibited, Inquiry, described, what_is_shown
from worldgauge.judge.forms import Form
from worldgauge.judge.ledger import Ledger
from worldgauge.judge.line import Line
from worldgauge.judge.material import Looked, Material, describe, spec_of
from worldgauge.judge.rendering import render
from worldgauge.judge.request import Decoding, Film, Picture, Request
from worldgauge.judge.secrets import Secret
from worldgauge.judge.session import REPAIR_PROMPT, Answer, Session
from worldgauge.judge.settings import PROVIDER, Settings

if TYPE_CHECKING:
    from worldgauge.judge.estimator import Estimator

SYSTEM_PROMPT = "worldgauge.judge:system"

FORM_FIELDS = ("frames", "image_side", "send", "temperature", "seed", "max_tokens")
"""Settings that belong to a question's official form; a judge's table may state others."""


@dataclass
class _Opened:
    """What is there while a run goes on, shared by a judge and those made of it for single signals and takes."""

    session: Session | None = None
    kept: KeptAnswers | None = None


Shown = tuple[Answer, tuple[int, ...]]
"""An answer, and the numbers of the frames that were shown."""


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
    take: int = 0
    """Which time a question is put: 0, then 1, ... Each has its own seed, where there is one."""
    effort: str = ""
    thinking_tokens: int | None = None
    options: str = ""
    """The further fields of a request, as canonical JSON."""
    settings: Settings | None = field(default=None, compare=False)
    replays: bool = field(default=False, compare=False)
    """Whether only stored answers count and nobody is asked."""
    recorded: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, compare=False)
    """Of a replay: signal to the parameters that its answers were stored with."""
    _opened: _Opened = field(default_factory=_Opened, compare=False, repr=False)

    @property
    def parameters(self) -> dict[str, Any]:
        """Those added later are left out at their defaults, so that older answers keep their keys."""
        shown = (one for one in fields(self) if one.compare)
        return {
            one.name: getattr(self, one.name)
            for one in shown
            if one.name not in _LATER or getattr(self, one.name) != one.default
        }

    def for_signal(self, signal: str, form: Mapping[str, Any]) -> Judge:
        """The judge as one signal asks it; connection, budget and stored answers are shared with this one."""
        if signal in self.recorded:
            return replace(self, **self.recorded[signal])
        return replace(self, **_settled_form(self, form))

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
        return 1 if self.settings is None else self.settings.at_once

    @property
    def place(self) -> str:
        return "" if self.settings is None or self.replays else self.settings.host

    @property
    def is_here(self) -> bool:
        return self.settings is None or self.replays or self.settings.is_here

    def estimator(self) -> Estimator:
        from worldgauge.judge.estimator import Estimator

        return Estimator(self)

    def begin(
        self,
        folder: Path,
        spending: Spending,
        stop: threading.Event,
        on_asked: OnAsked,
        shared: Shared | None = None,
    ) -> None:
        self._opened.kept = None if shared is None else shared.answers
        if self.replays or self.settings is None:
            return
        settings = self.settings
        if spending.cost is not None and settings.price is None:
            raise WorldGaugeError(
                f"--max-cost needs the price of judge '{settings.name}'",
                "write price_in and price_out (of a million tokens; 0 for your own machine) into its table",
            )
        ledger = Ledger(folder)
        client = opened(settings, None if shared is None else shared.opens)
        session = Session(
            by_batch(client, settings, ledger, stop) if settings.batch else client,
            Line(settings.patience, stop),
            Purse(spending) if shared is None else shared.purse.part(),
            ledger,
            settings.price,
            Secret(settings.key_variable),
            on_asked,
            settings.at_once,
        )
        self._opened.session = session

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
        looked: Looked | None = None,
        released: Mapping[str, Any] | None = None,
    ) -> Shown:
        """The answer to a prompt about a clip, and the numbers of the frames that were shown.

        `released` is what the authors' own text of the question is made of, where the prompt is taken from their code.
        `values` fill the prompt's places beside `material` and `schema`; texts of a case among them are fenced.
        `looked` is for who puts the question several times: the clip is then read once.
        """
        looked = looked or Looked(clip)
        return self._once(
            lambda: self._asked(clip, prompt, values, form, rate, released),
            lambda: self._put(lambda: looked(self, rate), prompt, values, form, about, released),
        )

    def inquire(self, inquiry: Inquiry, exhibited: Exhibited | None = None) -> Shown:
        """The answer to a question about exact frames, and their numbers. A signal may put several.

        `exhibited` is for who puts the question several times: the pictures are then made once.
        """
        exhibited = exhibited or Exhibited(inquiry)
        return self._once(
            lambda: self._inquired(inquiry, exhibited),
            lambda: self._put(exhibited, inquiry.prompt, inquiry.values, inquiry.form, inquiry.about, inquiry.released),
        )

    def expect(self, inquiries: Sequence[Inquiry]) -> None:
        """Tell what will be asked. Only who looks at questions for their price listens: a signal that asks several
        times tells all of them first."""

    def key_of(
        self,
        clip: Clip,
        prompt: str,
        values: Mapping[str, str],
        form: Form,
        rate: float | None = None,
        released: Mapping[str, Any] | None = None,
    ) -> str:
        """Under which an answer is kept."""
        return digest_of(self._asked(clip, prompt, values, form, rate, released))

    def key_of_inquiry(self, inquiry: Inquiry) -> str:
        """Under which its answer is kept, told without decoding; one whose pictures are drawn in is kept under another,
        which only they tell."""
        return digest_of(self._inquired(inquiry, None))

    def on_take(self, take: int) -> Judge:
        """The same judge, asked once more: who asks it on any take shares its purse and its connections."""
        return replace(self, take=take)

    def _once(self, identity: Callable[[], dict[str, Any]], put: Callable[[], Shown]) -> Shown:
        """What is kept under everything that was asked; only else it is asked."""
        if self._kept is None:
            return put()
        asked = identity()
        key = digest_of(asked)
        with self._kept.holding(key):
            found = self._kept.load(key)
            if found is None:
                answer, frames = put()
                self._kept.save(key, answer.arrays(frames), asked)
                return answer, frames
        return Answer.of(found), tuple(found["frames"].tolist())

    def _put(
        self,
        looked: Callable[[], Material],
        prompt: str,
        values: Mapping[str, str],
        form: Form,
        about: str,
        released: Mapping[str, Any] | None,
    ) -> Shown:
        session = self._open
        if session is None or self.settings is None:
            raise Unanswered("the answer is not stored, and a replay asks nobody")
        material = looked()
        return self.ask_about(material, prompt, values, form, about, released), material.frames

    def ask_about(
        self,
        material: Material,
        prompt: str,
        values: Mapping[str, str],
        form: Form,
        about: str = "",
        released: Mapping[str, Any] | None = None,
    ) -> Answer:
        """The answer to a prompt about pictures that are no clip, or about text alone."""
        session = self._open
        if session is None:
            raise Unanswered("the answer is not stored, and a replay asks nobody")
        return session.ask(self.request(prompt, values, form, material, released), form, about)

    def _asked(
        self,
        clip: Clip,
        prompt: str,
        values: Mapping[str, str],
        form: Form,
        rate: float | None,
        released: Mapping[str, Any] | None,
    ) -> dict[str, Any]:
        """Everything that can change the answer to a question; its digest is the key of the answer."""
        return {
            "video": clip.video.digest,
            "frames": spec_of(self).to_json(),
            "send": self.send,
            **self._question(prompt, values, form, describe(clip, self, rate), released),
        }

    def _inquired(self, inquiry: Inquiry, exhibited: Exhibited | None) -> dict[str, Any]:
        """The same of a question about exhibits."""
        material = described(inquiry.exhibits)
        return {
            "exhibits": what_is_shown(inquiry.exhibits, exhibited),
            **self._question(inquiry.prompt, inquiry.values, inquiry.form, material, inquiry.released),
        }

    def _question(
        self,
        prompt: str,
        values: Mapping[str, str],
        form: Form,
        material: Material,
        released: Mapping[str, Any] | None,
    ) -> dict[str, Any]:
        return {
            "prompt": digest_of_prompt(prompt),
            "text": self.request(prompt, values, form, material, released).text,
            "schema": dict(form.schema),
            "instrument": self.identity(),
        }

    def request(
        self,
        prompt: str,
        values: Mapping[str, str],
        form: Form,
        material: Material,
        released: Mapping[str, Any] | None = None,
    ) -> Request:
        """What is sent: our text, or the authors' own request where the prompt is taken from their code."""
        if (found := authors_entry(prompt)) is not None:
            code, entry = found
            return self._released_request(prompt, builder_of(entry), code, material, released)
        filled = {"schema": canonical_json(dict(form.schema)), **values, "material": material.words}
        return Request(
            system=read_prompt(SYSTEM_PROMPT).strip(),
            text=render(prompt, read_prompt(prompt), filled).strip(),
            schema=form.schema,
            pictures=material.pictures,
            film=material.film,
            decoding=self._decoding,
            take=self.take,
        )

    def _released_request(
        self,
        prompt: str,
        build: Callable[[AuthorsCode, Mapping[str, Any]], AuthorsMessage],
        code: AuthorsCode,
        material: Material,
        released: Mapping[str, Any] | None,
    ) -> Request:
        """The request that the authors' code makes: its system text, its labels between the groups of pictures, its
        form of an answer; nothing is fenced and no schema is sent."""
        if released is None:
            raise WorldGaugeError(f"prompt '{prompt}' is not put in the authors' words", "name a text file for it")
        message = build(code, released)
        parts: list[str | Picture | Film] = []
        for one in message.parts:
            parts += [one] if isinstance(one, str) else material.group(one.group)
        return Request(
            system=message.system,
            text="\n".join(one for one in message.parts if isinstance(one, str)),
            schema={},
            pictures=tuple(one for one in parts if isinstance(one, Picture)),
            film=next((one for one in parts if isinstance(one, Film)), None),
            decoding=self._decoding,
            take=self.take,
            parts=tuple(parts),
            translate=message.translate,
        )

    @property
    def _decoding(self) -> Decoding:
        return Decoding(
            self.temperature,
            None if self.seed is None else self.seed + self.take,
            self.max_tokens,
            self.thinking_tokens or 0,
            None if self.settings is None else self.settings.longest_reply,
        )

    @property
    def _open(self) -> Session | None:
        return self._opened.session

    @property
    def _kept(self) -> KeptAnswers | None:
        return self._opened.kept

    def __getstate__(self) -> dict[str, Any]:
        """Workers get the judge for its identity; connections and purse stay with the main process."""
        return {**vars(self), "_opened": _Opened()}


def _settled_form(judge: Judge, form: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of an official form that this judge takes over: those that the user has not stated, and that its
    client can follow."""
    stated = judge.settings.model_fields_set if judge.settings is not None else set()
    found = {name: value for name, value in form.items() if name in FORM_FIELDS and name not in stated}
    found = {name: None if value == PROVIDER else value for name, value in found.items()}
    if judge.client == "local":
        found = {name: value for name, value in found.items() if value is not None}
    if judge.client == "anthropic":
        found.pop("seed", None)
    bounded = judge.settings is not None and judge.settings.longest_reply is not None
    if found.get("max_tokens", 0) is None and (judge.client == "anthropic" or not bounded):
        # Without a stated limit the price of a call has no bound.
        del found["max_tokens"]
    if found.get("send") == "video" and judge.client != "gemini":
        del found["send"]
    return found


_LATER = ("take", "effort", "thinking_tokens", "options")
_COUNTED = ("calls", "answered", "unanswered", "retried", "repaired", "spent", "unknown")


def judge_of(settings: Settings, replays: bool = False) -> Judge:
    """The instrument of a configured judge."""
    from worldgauge.judge.clients.scripted import script_file

    own = {one.name for one in fields(Judge) if one.compare} - {"script", "take", "options"}
    values = {name: value for name, value in settings.model_dump().items() if name in own}
    if settings.options:
        values["options"] = canonical_json(settings.options)
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
