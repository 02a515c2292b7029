"""How many tokens a request takes, told before it is sent: a bound below and one above."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

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
    return Usage(low + pictures[0] + film[0], 1), Usage(most, request.decoding.max_tokens)


def _sum(pairs: Iterable[tuple[int, int]]) -> tuple[int, int]:
    listed = list(pairs)
    return sum(low for low, _ in listed), sum(high for _, high in listed)
