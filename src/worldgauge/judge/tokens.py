"""How many tokens a request takes, told before it is sent: a bound below and one above."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from worldgauge.core.canonical import canonical_json
from worldgauge.judge.request import Request, Usage

OVERHEAD = 64
"""Tokens around the texts of one message: roles, markers, the form that is asked for."""


@dataclass(frozen=True)
class Price:
    """Of a million tokens, in and out, in whatever currency the user writes them down."""

    per_million_in: float
    per_million_out: float

    def of(self, usage: Usage) -> float:
        """
        >>> Price(2.0, 8.0).of(Usage(500_000, 250_000))
        3.0
        """
        return (usage.tokens_in * self.per_million_in + usage.tokens_out * self.per_million_out) / 1e6


def bounds_of_text(text: str) -> tuple[int, int]:
    """Fewest and most tokens of a text: a token holds at least one byte, and seldom more than six.

    >>> bounds_of_text("a yellow duck")
    (3, 13)
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    return math.ceil(size / 6), size


def bounds_of_picture(width: int, height: int) -> tuple[int, int]:
    """Fewest and most tokens of a picture among the published rules: tiles of 512 or 768, patches of 28, area / 750.

    >>> bounds_of_picture(512, 288)
    (197, 258)
    """
    tiles = math.ceil(width / 512) * math.ceil(height / 512)
    counts = (
        85 + 170 * tiles,
        258 * math.ceil(width / 768) * math.ceil(height / 768),
        math.ceil(width / 28) * math.ceil(height / 28),
        math.ceil(width * height / 750),
    )
    return min(counts), max(counts)


def bounds_of_film(seconds: float) -> tuple[int, int]:
    """Fewest and most tokens of a film: a frame per second of 66 to 300 tokens, and its sound."""
    return math.ceil(66 * seconds), math.ceil(332 * (seconds + 1))


def bounds(request: Request, schema_text: str) -> tuple[Usage, Usage]:
    """Least and highest usage of a request."""
    texts = [request.system, request.text, schema_text]
    texts += [part for turn in request.turns for part in (turn.reply, turn.complaint)]
    low, high = _sum(map(bounds_of_text, texts))
    pictures = _sum(bounds_of_picture(*picture.size) for picture in request.pictures)
    film = bounds_of_film(request.film.seconds) if request.film is not None else (0, 0)
    most = high + pictures[1] + film[1] + OVERHEAD * (2 + 2 * len(request.turns))
    return Usage(low + pictures[0] + film[0], 1), Usage(most, request.decoding.most)


def expected(request: Request, schema: Mapping[str, Any], client: str, effort: str = "") -> Usage:
    """The usage to be expected of a request: English text, the picture rule of the client's provider, and a reply as
    long as the form `schema`, with thoughts where the judge thinks."""
    texts = [request.system, request.text, canonical_json(dict(request.schema))]
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    rule = _PICTURE_RULES.get(client, _PICTURE_RULES["openai"])
    pictures = sum(rule(*picture.size) for picture in request.pictures)
    film = math.ceil(_FILM_TOKENS * request.film.seconds) if request.film is not None else 0
    thoughts = request.decoding.thoughts // 2 or _THOUGHTS.get(effort.casefold(), 0)
    answer = min(_length_of(schema) + thoughts, request.decoding.most)
    return Usage(math.ceil(size / _BYTES_OF_A_TOKEN) + pictures + film + 2 * OVERHEAD, max(1, answer))


_BYTES_OF_A_TOKEN = 4.0
"""Of English text."""
_FILM_TOKENS = 300
"""Of a second of film, sound included, as Gemini counts it at one frame per second."""
_THOUGHTS = {"minimal": 100, "low": 500, "medium": 2000, "high": 6000, "xhigh": 12000, "max": 20000}
"""Tokens of thoughts by the word for effort: the order of magnitude that providers describe."""
_PICTURE_RULES: dict[str, Callable[[int, int], int]] = {
    "openai": lambda width, height: 85 + 170 * math.ceil(width / 512) * math.ceil(height / 512),
    "gemini": lambda width, height: 258 * math.ceil(width / 768) * math.ceil(height / 768),
    "anthropic": lambda width, height: math.ceil(width * height / 750),
    "local": lambda width, height: math.ceil(width / 28) * math.ceil(height / 28),
}
_REASON = 30
"""Tokens of a sentence."""


def _length_of(schema: Mapping[str, Any]) -> int:
    """Tokens of a usual reply of a JSON schema: a sentence for each text, each listed id once.

    >>> _length_of({"type": "object", "properties": {"score": {"type": "number"}, "reason": {"type": "string"}}})
    43
    """
    if "properties" in schema:
        return 3 + sum(_length_of(one) + 4 for one in schema["properties"].values())
    if schema.get("type") == "array":
        named = schema["items"].get("properties", {}).values()
        ids = next((one["enum"] for one in named if one.get("type") == "string" and "enum" in one), range(4))
        return _length_of(schema["items"]) * len(ids)
    return _REASON if schema.get("type") == "string" and "enum" not in schema else 2


def _sum(pairs: Iterable[tuple[int, int]]) -> tuple[int, int]:
    listed = list(pairs)
    return sum(low for low, _ in listed), sum(high for _, high in listed)
