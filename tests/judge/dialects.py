"""Three protocols as their public references document them: what a server reads of a request, and how it replies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from worldgauge.judge.request import Usage


@dataclass(frozen=True)
class Seen:
    """What a request holds."""

    text: str
    images: int
    structured: bool
    repaired: bool
    limit: int | None = None
    """Tokens of the reply, thoughts included."""
    thoughts: int | None = None
    """Tokens that it may think at most, where the request states them."""


@dataclass(frozen=True)
class Dialect:
    """One protocol."""

    read: Callable[[dict[str, Any]], Seen]
    write: Callable[[str, str | None, str, Usage, str], dict[str, Any]]
    """Text, refusal, ending, usage, model."""
    error: Callable[[int, str], dict[str, Any]]


def _read_chat(body: dict[str, Any]) -> Seen:
    parts = body["messages"][1]["content"]
    images = sum(part["type"] == "image_url" for part in parts)
    limit = body.get("max_tokens", body.get("max_completion_tokens"))
    return Seen(parts[-1]["text"], images, "response_format" in body, len(body["messages"]) > 2, limit)


def _write_chat(text: str, refusal: str | None, ending: str, usage: Usage, model: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, "refusal": refusal}
    return {
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": ending}],
        "usage": {
            "prompt_tokens": usage.tokens_in,
            "completion_tokens": usage.tokens_out,
            "completion_tokens_details": {"reasoning_tokens": usage.thoughts},
        },
    }


def _read_messages(body: dict[str, Any]) -> Seen:
    parts = body["messages"][0]["content"]
    images = sum(part["type"] == "image" for part in parts)
    held, budget = "format" in body.get("output_config", {}), body.get("thinking", {}).get("budget_tokens")
    return Seen(parts[-1]["text"], images, held, len(body["messages"]) > 1, body["max_tokens"], budget)


def _write_messages(text: str, refusal: str | None, ending: str, usage: Usage, model: str) -> dict[str, Any]:
    block = {"type": "text", "text": text}
    reason = "refusal" if refusal else {"stop": "end_turn", "length": "max_tokens"}[ending]
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": [block] if text else [],
        "stop_reason": reason, "stop_sequence": None,
        "usage": {"input_tokens": usage.tokens_in, "output_tokens": usage.tokens_out},
    }  # fmt: skip


def _read_gemini(body: dict[str, Any]) -> Seen:
    parts = body["contents"][0]["parts"]
    images = sum("inlineData" in part for part in parts)
    config = body.get("generationConfig", {})
    limits = config.get("maxOutputTokens"), config.get("thinkingConfig", {}).get("thinking_budget")
    return Seen(parts[-1]["text"], images, "responseJsonSchema" in config, len(body["contents"]) > 1, *limits)


def _write_gemini(text: str, refusal: str | None, ending: str, usage: Usage, model: str) -> dict[str, Any]:
    reason = "SAFETY" if refusal else {"stop": "STOP", "length": "MAX_TOKENS"}[ending]
    content = {"role": "model", "parts": [{"text": text}] if text else []}
    return {
        "candidates": [{"content": content, "finishReason": reason, "index": 0}],
        "usageMetadata": {
            "promptTokenCount": usage.tokens_in,
            "candidatesTokenCount": usage.tokens_out - usage.thoughts,
            "thoughtsTokenCount": usage.thoughts,
            "totalTokenCount": usage.tokens_in + usage.tokens_out,
        },
        "modelVersion": model,
    }


CHAT = Dialect(_read_chat, _write_chat, lambda status, words: {"error": {"message": words}})
MESSAGES = Dialect(
    _read_messages,
    _write_messages,
    lambda status, words: {"type": "error", "error": {"type": "api_error", "message": words}},
)
GEMINI = Dialect(
    _read_gemini,
    _write_gemini,
    lambda status, words: {"error": {"code": status, "message": words, "status": "UNAVAILABLE"}},
)


def dialect_of(path: str) -> Dialect:
    """By the path of the request."""
    if path.endswith("/chat/completions"):
        return CHAT
    return MESSAGES if path.partition("?")[0].endswith("/v1/messages") else GEMINI
