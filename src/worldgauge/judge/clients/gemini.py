"""Google Gemini through its own package: frames inline, or the clip as an uploaded video that is deleted afterwards."""

from __future__ import annotations

import io
import json
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from worldgauge.core.registry import unknown_name
from worldgauge.judge.clients.bounded import Bounds
from worldgauge.judge.clients.errors import failed_call
from worldgauge.judge.request import Failed, Film, Picture, Reply, Request, Usage, content_of
from worldgauge.judge.secrets import Secret
from worldgauge.judge.settings import Settings

log = logging.getLogger(__name__)

_READY, _BROKEN = "ACTIVE", "FAILED"
_LOOK = 2.0
"""Seconds between two looks at an upload that is being prepared."""
_REFUSED = {"SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "RECITATION", "SPII", "IMAGE_SAFETY"}


class Gemini:
    """`generateContent`, and the Files API where the judge watches videos."""

    def __init__(self, settings: Settings) -> None:
        import google.genai as genai
        from google.genai import errors, types

        self.settings, self.types, self.errors = settings, types, errors
        self.secret = Secret(settings.key_variable)
        for name in settings.options:
            if name not in types.GenerateContentConfig.model_fields:
                raise unknown_name(
                    f"option of judge '{settings.name}'", name, list(types.GenerateContentConfig.model_fields)
                )
        key = self.secret.value_or_nothing() if settings.is_here else self.secret.value()
        self.bounds = Bounds(settings.timeout)
        options = types.HttpOptions(
            base_url=settings.address,
            timeout=int(1000 * settings.timeout),
            # Attempts are ours to count and to pay for, so the package makes none of its own.
            retry_options=types.HttpRetryOptions(attempts=1),
            client_args={"event_hooks": self.bounds.hooks},
        )
        self.client = genai.Client(api_key=key or "none", vertexai=False, http_options=options)

    def send(self, request: Request) -> Reply:
        uploaded: Any = None
        try:
            with self.bounds.call(), self.failing():
                if request.film is not None:
                    uploaded = self._upload(request.film)
                response = self.client.models.generate_content(
                    model=self.settings.sent_model,
                    contents=self.contents(request, uploaded),
                    config=self.config(request),
                )
        finally:
            if uploaded is not None:
                self._delete(uploaded.name)
        return reply_in(response)

    def close(self) -> None:
        self.client.close()

    @contextmanager
    def failing(self) -> Iterator[None]:
        """What the package raises, as one of our failures."""
        try:
            yield
        except self.errors.APIError as error:
            raise failed_call(error.code, str(error), _retry_after(error), self.secret, error) from None
        except Exception as error:  # noqa: BLE001  the package lets its transport's own errors through
            raise failed_call(None, f"{type(error).__name__}: {error}", "", self.secret, error) from None

    def _upload(self, film: Film) -> Any:
        """The file once it can be watched. Waiting ends with the time a reply may take."""
        files, until = self.client.files, time.monotonic() + self.settings.timeout
        file = files.upload(file=io.BytesIO(film.data), config={"mime_type": film.media_type})
        while _name(file.state) not in (_READY, _BROKEN):
            if time.monotonic() > until:
                self._delete(file.name)
                raise Failed("slow", f"the upload was not ready within {self.settings.timeout:g} s")
            time.sleep(_LOOK if not self.settings.is_here else 0.02)
            file = files.get(name=file.name)
        if _name(file.state) == _BROKEN:
            self._delete(file.name)
            raise Failed("upload", "the provider could not read the video", again=False)
        return file

    def _delete(self, name: str) -> None:
        try:
            with self.bounds.call():
                self.client.files.delete(name=name)
        except Exception as error:  # noqa: BLE001  the answer is worth more than the clean-up; the file expires by itself
            log.warning("an uploaded video could not be deleted: %s", type(error).__name__)

    def contents(self, request: Request, uploaded: Any = None) -> list[Any]:
        part = self.types.Part
        parts = []
        for one in content_of(request):
            if isinstance(one, str):
                parts.append(part.from_text(text=one))
            elif isinstance(one, Picture):
                parts.append(part.from_bytes(data=one.data, mime_type=one.media_type))
            elif uploaded is not None:
                parts.append(part.from_uri(file_uri=uploaded.uri, mime_type=uploaded.mime_type))
        contents = [self.types.Content(role="user", parts=parts)]
        for turn in request.turns:
            contents.append(self.types.Content(role="model", parts=[part.from_text(text=turn.reply or "(nothing)")]))
            contents.append(self.types.Content(role="user", parts=[part.from_text(text=turn.complaint)]))
        return contents

    def config(self, request: Request) -> Any:
        decoding = request.decoding
        held = (
            {"response_mime_type": "application/json", "response_json_schema": dict(request.schema)}
            if self.settings.structured and request.schema
            else {}
        )
        return self.types.GenerateContentConfig(
            system_instruction=request.system or None,
            temperature=decoding.temperature,
            seed=decoding.seed,
            max_output_tokens=None if decoding.max_tokens is None else decoding.most,
            **held,
            **self._thinking(),
            **self.settings.options,
        )

    def _thinking(self) -> dict[str, Any]:
        """How hard it thinks, where the settings state it."""
        settings, own = self.settings, dict[str, Any]()
        if settings.effort:
            own["thinking_level"] = settings.effort.upper()
        if settings.thinking_tokens is not None:
            own["thinking_budget"] = settings.thinking_tokens
        return {"thinking_config": self.types.ThinkingConfig(**own)} if own else {}


def reply_in(response: Any) -> Reply:
    candidate = next(iter(response.candidates or []), None)
    blocked = _name(getattr(response.prompt_feedback, "block_reason", None))
    ending = _name(getattr(candidate, "finish_reason", None))
    parts = getattr(getattr(candidate, "content", None), "parts", None) or []
    # Thoughts are no part of the answer.
    text = "".join(part.text or "" for part in parts if not getattr(part, "thought", False))
    refusal = blocked or (ending if ending in _REFUSED else "")
    return Reply(
        text,
        _usage(response.usage_metadata),
        str(response.model_version or ""),
        f"the provider says {refusal}" if refusal else "",
        cut=ending == "MAX_TOKENS",
    )


def _usage(told: Any) -> Usage | None:
    if told is None or told.prompt_token_count is None:
        return None
    thoughts = told.thoughts_token_count or 0
    return Usage(told.prompt_token_count, (told.candidates_token_count or 0) + thoughts, thoughts)


def _name(value: Any) -> str:
    return "" if value is None else str(getattr(value, "value", value))


def _retry_after(error: Any) -> str:
    """Seconds to wait: from the header, or from the details of the error as Google writes them."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    if told := headers.get("retry-after"):
        return str(told)
    try:
        text = json.dumps(error.details)
    except (TypeError, AttributeError):
        return ""
    mark = '"retryDelay": "'
    return text.split(mark, 1)[1].split('"', 1)[0] if mark in text else ""
