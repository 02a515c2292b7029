"""Endpoints that speak the chat-completions protocol: hosted ones, and servers on one's own machine."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from worldgauge.judge.clients.bounded import Bounds
from worldgauge.judge.clients.http import open_client, post, wait_told
from worldgauge.judge.request import Failed, Film, Picture, Reply, Request, Usage, content_of
from worldgauge.judge.secrets import Secret
from worldgauge.judge.settings import Settings


class OpenAiCompatible:
    """`POST {endpoint}/chat/completions`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.secret = Secret(settings.key_variable)
        # A server on one's own machine may want none.
        key = self.secret.value_or_nothing() if settings.is_here else self.secret.value()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self.bounds = Bounds(settings.timeout)
        address = settings.address.rstrip("/") + "/"
        self.http = open_client(address, headers, settings.timeout, settings.concurrency, settings.is_here, self.bounds)

    def send(self, request: Request) -> Reply:
        with self.bounds.call():
            content, headers = post(self.http, "chat/completions", self.payload(request), self.secret)
        return reply_in(content, wait_told(headers))

    def close(self) -> None:
        self.http.close()

    def payload(self, request: Request) -> dict[str, Any]:
        parts = [_part(one) for one in content_of(request)]
        messages: list[dict[str, Any]] = [{"role": "system", "content": request.system}] if request.system else []
        messages.append({"role": "user", "content": parts})
        for turn in request.turns:
            messages.append({"role": "assistant", "content": turn.reply or "(nothing)"})
            messages.append({"role": "user", "content": turn.complaint})
        decoding = request.decoding
        payload: dict[str, Any] = {"model": self._settings.sent_model, "messages": messages}
        if decoding.max_tokens is not None:
            payload[self._settings.tokens_field] = decoding.max_tokens
        if decoding.temperature is not None:
            payload["temperature"] = decoding.temperature
        if decoding.seed is not None:
            payload["seed"] = decoding.seed
        if self._settings.effort:
            payload["reasoning_effort"] = self._settings.effort
        if self._settings.structured and request.schema:
            form = {"name": "answer", "schema": dict(request.schema), "strict": True}
            payload["response_format"] = {"type": "json_schema", "json_schema": form}
        return {**payload, **self._settings.options}


def _part(one: str | Picture | Film) -> dict[str, Any]:
    if isinstance(one, str):
        return {"type": "text", "text": one}
    kind = "image_url" if isinstance(one, Picture) else "video_url"
    return {"type": kind, kind: {"url": _url(one)}}


def _url(part: Picture | Film) -> str:
    return f"data:{part.media_type};base64,{base64.b64encode(part.data).decode()}"


def reply_in(content: Any, wait: float = 0.0) -> Reply:
    """The first choice. What is not of the protocol's form was no reply, though it may have been paid for."""
    try:
        choice = content["choices"][0]
        message, ending = choice["message"], choice.get("finish_reason")
        refusal = message.get("refusal") or ""
    except (KeyError, IndexError, TypeError, AttributeError):
        raise Failed("garbled", "the response has no choice with a message", charged=None) from None
    text = message.get("content")
    if isinstance(text, list):
        text = "".join(part.get("text", "") for part in text if isinstance(part, dict))
    if ending == "content_filter":
        refusal = refusal or "stopped by the provider's filter"
    return Reply(
        text if isinstance(text, str) else "",
        usage_in(content.get("usage"), "prompt_tokens", "completion_tokens"),
        str(content.get("model") or ""),
        str(refusal),
        cut=ending == "length",
        wait=wait,
    )


def usage_in(told: Any, first: str, second: str) -> Usage | None:
    """Tokens in and out, where both are told."""
    if not isinstance(told, Mapping):
        return None
    counts = [count for count in (told.get(first), told.get(second)) if type(count) is int and count >= 0]
    return Usage(counts[0], counts[1], _thoughts_in(told)) if len(counts) == 2 else None


def _thoughts_in(told: Mapping[str, Any]) -> int:
    """Tokens of thoughts, as the chat-completions protocol reports them next to the sums."""
    details = told.get("completion_tokens_details") or told.get("output_tokens_details")
    count = details.get("reasoning_tokens") if isinstance(details, Mapping) else None
    return count if type(count) is int and count >= 0 else 0
