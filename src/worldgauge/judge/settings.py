"""What a judge is and where it sits: the `[judge]` table of `worldgauge.toml`. Keys are only in the environment."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_toml_as, validated
from worldgauge.core.registry import unknown_name
from worldgauge.judge.line import Patience
from worldgauge.judge.tokens import Price

PROVIDER = "provider"
"""Written in place of a number: the provider's own value applies."""
_OURS = {
    name.replace("_", "")
    for name in (
        "model", "messages", "system", "contents", "stream", "n", "temperature", "seed", "max_tokens",
        "max_completion_tokens", "max_output_tokens", "response_format", "response_mime_type", "response_json_schema",
        "response_schema", "system_instruction", "candidate_count", "api_key", "reasoning_effort", "http_options",
        "output_config", "thinking",
    )
}  # fmt: skip
"""Fields of a request that `options` cannot hold, without their underscores."""
_LEAST_THOUGHTS = 1024
"""Fewest tokens that Anthropic takes as a budget of thoughts."""

_OPTIONS = "options"
Kind = Literal["openai", "gemini", "anthropic", "local", "scripted"]

ENDPOINTS = {
    "openai": "https://api.openai.com/v1",
    "gemini": "https://generativelanguage.googleapis.com",
    "anthropic": "https://api.anthropic.com",
}
KEYS = {"openai": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
"""Environment variable that holds the key, where the table names no other."""


class Settings(BaseModel):
    """One judge."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    name: str = ""
    client: Kind = "openai"
    """Protocol it speaks; `openai` is spoken by most servers on one's own machine too."""
    endpoint: str = ""
    model: str = ""
    snapshot: str = ""
    """The dated version, where the model's name is one that moves; sent in its place."""
    preset: str = ""
    """A row of `judge/presets.toml` whose settings stand where this table has none of its own."""
    temperature: float | None = Field(default=0.0, ge=0, le=2)
    """`"provider"`: nothing is sent, and the provider's own value applies. So for the two settings below."""
    seed: int | None = 0
    max_tokens: int | None = Field(default=2048, ge=1)
    """Tokens of an answer, at most. Thoughts are counted apart where `thinking_tokens` limits them."""
    longest_reply: int | None = Field(default=None, ge=1)
    """Tokens that the model can write at most, thoughts included: the bound of what a call may cost where `max_tokens`
    is left to the provider, and the end to which a limit may grow."""
    effort: str = ""
    """How hard a thinking model thinks, in the provider's own word such as `low`; empty: nothing is sent."""
    thinking_tokens: int | None = Field(default=None, ge=0)
    """Tokens of thoughts, at most, where the provider limits them apart from the answer; 0 switches thinking off."""
    options: dict[str, Any] = {}
    """Further fields of the request, in the provider's own names: `[judge.NAME.options]`."""
    frames: int = Field(default=16, ge=1, le=512)
    """Frames that are sent of a clip, evenly spread."""
    image_side: int = Field(default=512, ge=32)
    """Longer side of a frame in pixels, at most."""
    send: Literal["frames", "video"] = "frames"
    structured: bool = True
    """Whether the endpoint can be held to a JSON schema."""
    tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    takes: int = Field(default=1, ge=1, le=64)
    """How often each question is put to it."""
    concurrency: int = Field(default=16, ge=1, le=1024)
    timeout: float = Field(default=180.0, gt=0)
    """Seconds to wait for a reply."""
    attempts: int = Field(default=6, ge=1)
    backoff: float = Field(default=0.5, ge=0)
    """Seconds before the second attempt; doubled each time."""
    cool_down: float = Field(default=5.0, ge=0)
    """Seconds nobody calls after a dozen failures in a row."""
    price_in: float | None = Field(default=None, ge=0)
    """Of a million tokens."""
    price_out: float | None = Field(default=None, ge=0)
    batch: bool = False
    """Whether questions go by the provider's batch endpoint: answers within a day, at a part of the price."""
    batch_share: float = Field(default=0.5, gt=0, le=1)
    """That part."""
    batch_pause: float = Field(default=5.0, gt=0)
    """Seconds without a further question after which a batch is sent."""
    batch_look: float = Field(default=30.0, gt=0)
    """Seconds between two looks at a batch."""
    key: str = ""
    """Name of the environment variable that holds the key."""
    logits: bool = False
    """Of a local judge: whether a single question is answered by the probabilities of its choices."""
    function: str = ""
    """Of a scripted judge: FILE.py:FUNCTION."""

    @field_validator("temperature", "seed", "max_tokens", mode="before")
    @classmethod
    def _left_to_the_provider(cls, value: Any) -> Any:
        return None if value == PROVIDER else value

    @field_validator("options")
    @classmethod
    def _not_ours(cls, options: dict[str, Any]) -> dict[str, Any]:
        for name in options:
            if name.casefold().replace("_", "") in _OURS:
                raise ValueError(f"options: {name} is written by the package, or has a setting of its own")
        return options

    @field_validator("endpoint")
    @classmethod
    def _plain_endpoint(cls, text: str) -> str:
        if not text:
            return text
        parts = urlsplit(text)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("an endpoint is written as http://HOST:PORT/v1")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("an endpoint holds no key; keys are read from the environment")
        return text

    @model_validator(mode="after")
    def _complete(self) -> Settings:
        if self.client == "scripted":
            if not self.function:
                raise ValueError("a scripted judge needs function = 'FILE.py:FUNCTION'")
        elif not self.model:
            raise ValueError("a judge needs a model")
        if self.client == "local" and self.send == "video":
            raise ValueError("a local judge is sent frames")
        if self.batch and (self.client not in ENDPOINTS or (self.client == "gemini" and self.send == "video")):
            raise ValueError("batches are for the endpoints of openai, gemini and anthropic, and Gemini's hold frames")
        if self.logits and self.client != "local":
            raise ValueError("only a local judge tells its logits")
        if (self.price_in is None) != (self.price_out is None):
            raise ValueError("price_in and price_out belong together")
        self._check_length()
        return self

    def _check_length(self) -> None:
        """What is left to the provider must be bounded, and a budget of thoughts needs a provider that has one."""
        if self.max_tokens is None and self.client in ("anthropic", "local"):
            raise ValueError(f"{self.client} needs max_tokens as a number")
        if self.max_tokens is None and self.longest_reply is None:
            raise ValueError('max_tokens = "provider" needs longest_reply, the most tokens that the model can write')
        if self.max_tokens is not None and self.longest_reply is not None and self.longest_reply < self.max_tokens:
            raise ValueError("longest_reply is less than max_tokens")
        if self.thinking_tokens is not None and self.client not in ("gemini", "anthropic"):
            raise ValueError(f"{self.client} has no budget of thoughts of its own; write effort, or options")
        if self.client == "anthropic" and 0 < (self.thinking_tokens or 0) < _LEAST_THOUGHTS:
            raise ValueError(f"anthropic takes thinking_tokens of {_LEAST_THOUGHTS} and more, or 0")
        if self.effort and self.client in ("local", "scripted"):
            raise ValueError(f"a {self.client} judge takes no effort")
        if self.options and self.client == "scripted":
            raise ValueError("a scripted judge takes no options")

    @property
    def address(self) -> str:
        return self.endpoint or ENDPOINTS.get(self.client, "")

    @property
    def host(self) -> str:
        """Who gets what is sent; empty where it stays in this process."""
        return (urlsplit(self.address).hostname or "") if self.client in ENDPOINTS else ""

    @property
    def is_here(self) -> bool:
        """Whether nothing leaves this machine."""
        if self.host in ("", "localhost"):
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def by_batch(self) -> Settings:
        """The same judge, asked by batch."""
        return validated(Settings, {**self.model_dump(exclude_unset=True), "batch": True}, f"judge '{self.name}'")

    @property
    def at_once(self) -> int:
        """Questions that may wait for an answer at once. Those in a batch cost no connection; while a local model is at
        work on some, as many are prepared for it."""
        if self.client == "local":
            return 2 * self.concurrency
        return max(self.concurrency, 256) if self.batch else self.concurrency

    @property
    def sent_model(self) -> str:
        return self.snapshot or self.model

    @property
    def key_variable(self) -> str:
        return self.key or KEYS.get(self.client, "")

    @property
    def price(self) -> Price | None:
        if self.price_in is None or self.price_out is None:
            return None
        return Price(self.price_in, self.price_out)

    @property
    def patience(self) -> Patience:
        return Patience(attempts=self.attempts, first=self.backoff, cool_down=self.cool_down)


def read_judges(table: Any, where: str) -> dict[str, Settings]:
    """The judges of a `[judge]` table: the table itself is one, called by its model; tables below it are named."""
    if not isinstance(table, dict):
        raise WorldGaugeError(f"{where} is no table", "write [judge] and settings below it")
    own = {key: value for key, value in table.items() if not isinstance(value, dict) or key == _OPTIONS}
    named = {key: value for key, value in table.items() if key not in own}
    found = {}
    for name, content in named.items():
        found[name] = _with_preset({**own, **content, "name": name}, f"{where} judge '{name}'")
    if own and not named:
        alone = _with_preset(own, where)
        name = alone.name or alone.preset or alone.model or "scripted"
        found[name] = alone.model_copy(update={"name": name})
    return found


class JudgePreset(BaseModel):
    """A judge that a paper or a released code names."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    what: str
    """Who names it for what."""
    settings: dict[str, Any]
    price: str = ""
    """The day and the page that the price was read from; empty: the row states none."""


class _PresetsFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    schema_version: Literal[1] = Field(alias="schema")
    preset: dict[str, JudgePreset]


@cache
def judge_presets() -> Mapping[str, JudgePreset]:
    """The rows of `presets.toml`, by name."""
    return read_toml_as(_PresetsFile, Path(__file__).with_name("presets.toml")).preset


def _with_preset(table: Mapping[str, Any], where: str) -> Settings:
    """The settings of a table, over those of the preset that it names."""
    name = table.get("preset", "")
    if not name:
        return validated(Settings, dict(table), where)
    if name not in judge_presets():
        raise unknown_name("judge preset", str(name), list(judge_presets()))
    return validated(Settings, {**judge_presets()[name].settings, **table}, where)


def choose(judges: dict[str, Settings], name: str) -> Settings:
    """A judge by its name; `scripted:FILE.py:FUNCTION` and the name of a preset need no table."""
    kind, _, function = name.partition(":")
    if kind == "scripted" and function:
        return validated(Settings, {"client": "scripted", "function": function, "name": "scripted"}, f"--judge {name}")
    if name not in judges and name in judge_presets():
        return _with_preset({"preset": name, "name": name}, f"--judge {name}")
    if name not in judges:
        if not judges:
            raise WorldGaugeError(
                f"--judge {name}: no judge is configured",
                f"write a [judge] table into worldgauge.toml, or name a preset: {', '.join(judge_presets())}",
            )
        raise unknown_name("judge", name, [*judges, *judge_presets(), "replay"])
    return judges[name]
