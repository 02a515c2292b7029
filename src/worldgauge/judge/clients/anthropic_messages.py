"""Anthropic's messages, through its own package. It takes no seed, and a temperature only where one is asked for."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from worldgauge.judge.clients.bounded import Bounds
from worldgauge.judge.clients.errors import failed_call, wait_in
from worldgauge.judge.clients.openai_compatible import usage_in
from worldgauge.judge.request import Film, Picture, Reply, Request, content_of
from worldgauge.judge.secrets import Secret
from worldgauge.judge.settings import Settings


class AnthropicMessages:
    """`POST {endpoint}/v1/messages`. It sees pictures only, so a clip is sent as frames."""

    def __init__(self, settings: Settings) -> None:
        import anthropic

        self._settings, self.errors = settings, anthropic
        self.secret = Secret(settings.key_variable)
        key = self.secret.value_or_nothing() if settings.is_here else self.secret.value()
        self.bounds = Bounds(settings.timeout)
        # Attempts are ours to count and to pay for, so the package makes none of its own.
        self.client = anthropic.Anthropic(
            api_key=key or "none",
            base_url=settings.address,
            timeout=settings.timeout,
            max_retries=0,
            http_client=anthropic.DefaultHttpxClient(event_hooks=self.bounds.hooks),
        )

    def send(self, request: Request) -> Reply:
        with self.bounds.call(), self.failing():
            response = self.client.messages.with_raw_response.create(**self.payload(request))
            content = json.loads(response.text())
        return reply_in(content, wait_in(response.headers, "anthropic-ratelimit"))

    def close(self) -> None:
        self.client.close()

    @contextmanager
    def failing(self) -> Iterator[None]:
        """What the package raises, as one of our failures."""
        try:
            yield
        except self.errors.APIStatusError as error:
            headers = error.response.headers
            raise failed_call(error.status_code, str(error), headers.get("retry-after", ""), self.secret) from None
        except (self.errors.AnthropicError, ValueError) as error:
            raise failed_call(None, f"{type(error).__name__}: {error}", "", self.secret, error) from None

    def payload(self, request: Request) -> dict[str, Any]:
        parts = [_part(one) for one in content_of(request) if not isinstance(one, Film)]
        messages: list[dict[str, Any]] = [{"role": "user", "content": parts}]
        for turn in request.turns:
            messages.append({"role": "assistant", "content": turn.reply or "(nothing)"})
            messages.append({"role": "user", "content": turn.complaint})
        payload: dict[str, Any] = {
            "model": self._settings.sent_model,
            **({"system": request.system} if request.system else {}),
            "messages": messages,
            # The provider counts thoughts in this limit, and a budget of theirs must be smaller than it.
            "max_tokens": request.decoding.most,
        }
        settings, further = self._settings, dict(self._settings.options)
        if request.decoding.temperature is not None:
            # Newer models refuse it, so that the package has no argument for it.
            further["temperature"] = request.decoding.temperature
        if further:
            payload["extra_body"] = further
        if settings.thinking_tokens is not None:
            payload["thinking"] = (
                {"type": "enabled", "budget_tokens": settings.thinking_tokens}
                if settings.thinking_tokens
                else {"type": "disabled"}
            )
        output: dict[str, Any] = {"effort": settings.effort} if settings.effort else {}
        if settings.structured and request.schema:
            output["format"] = {"type": "json_schema", "schema": dict(request.schema)}
        return {**payload, "output_config": output} if output else payload


def _part(one: str | Picture) -> dict[str, Any]:
    if isinstance(one, str):
        return {"type": "text", "text": one}
    data = base64.b64encode(one.data).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": one.media_type, "data": data}}


def reply_in(content: Any, wait: float = 0.0) -> Reply:
    told = content if isinstance(content, dict) else {}
    blocks = [block for block in told.get("content") or [] if isinstance(block, dict)]
    text = "".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")
    ending = told.get("stop_reason")
    return Reply(
        text,
        usage_in(told.get("usage"), "input_tokens", "output_tokens"),
        str(told.get("model") or ""),
        "stopped by the provider's filter" if ending == "refusal" else "",
        cut=ending == "max_tokens",
        wait=wait,
    )
