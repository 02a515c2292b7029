"""What is sent to a judge and what comes back, whoever it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

GROWTH = 4
"""How many times as long a reply may be that is requested again because the first one was cut off."""


@dataclass(frozen=True)
class Picture:
    """One frame as a file."""

    data: bytes = field(repr=False)
    size: tuple[int, int]
    """Width and height."""
    media_type: str = "image/jpeg"


@dataclass(frozen=True)
class Film:
    """A whole clip as a file, for judges that watch videos."""

    data: bytes = field(repr=False)
    seconds: float
    size: tuple[int, int]
    media_type: str = "video/mp4"


@dataclass(frozen=True)
class Decoding:
    """How the judge chooses its words."""

    temperature: float | None = 0.0
    """None: the provider's own."""
    seed: int | None = 0
    max_tokens: int | None = 2048
    """Of the answer. None: the provider's own limit."""
    thoughts: int = 0
    """Tokens of thoughts that a provider counts apart, at most."""
    longest: int | None = None
    """Tokens that the model can write at all, where that is known."""

    @property
    def most(self) -> int:
        """Tokens of a whole reply, at most, as they are paid."""
        if self.max_tokens is not None:
            return self.max_tokens + self.thoughts
        return self.longest or 0

    def longer(self) -> Decoding | None:
        """The same with four times the limit, as far as the model can write; None where no more can be requested.

        >>> Decoding(max_tokens=2048).longer().max_tokens, Decoding(max_tokens=2048, longest=4096).longer().max_tokens
        (8192, 4096)
        """
        if self.max_tokens is None:
            return None
        most = GROWTH * self.max_tokens if self.longest is None else min(GROWTH * self.max_tokens, self.longest)
        return replace(self, max_tokens=most) if most > self.max_tokens else None


@dataclass(frozen=True)
class Turn:
    """A reply that could not be used, and what was said about it."""

    reply: str
    complaint: str


@dataclass(frozen=True)
class Request:
    """One question, or several at once, about some pictures or a film."""

    system: str
    text: str
    schema: Mapping[str, Any]
    """JSON schema of the object that is asked for."""
    pictures: tuple[Picture, ...] = ()
    film: Film | None = None
    decoding: Decoding = field(default_factory=Decoding)
    turns: tuple[Turn, ...] = ()
    take: int = 0
    """Which time it is asked; requests that are alike but for this are two questions."""
    parts: tuple[str | Picture | Film, ...] = ()
    """Texts and pictures in the order of the authors' own request; empty: the pictures, then the text."""
    translate: Callable[[Any], Any] | None = field(default=None, repr=False, compare=False)
    """Of a request in the authors' words: from the JSON that it requests to the one that the form reads."""
    again: bool = False
    """Whether it follows a reply that was cut off: it is sent at once, never by batch."""


@dataclass(frozen=True)
class Usage:
    """Tokens that a call took, as the provider tells them."""

    tokens_in: int
    tokens_out: int
    """Thoughts included."""
    thoughts: int = 0
    """Tokens of thoughts among them, where the provider reports them."""


@dataclass(frozen=True)
class Reply:
    """What came back."""

    text: str
    usage: Usage | None = None
    """None: the provider did not tell."""
    model: str = ""
    """The snapshot that answered, as the provider tells it."""
    refusal: str = ""
    """Why the judge will not answer; empty where it does."""
    cut: bool = False
    """Whether the reply ended at the limit of tokens."""
    wait: float = 0.0
    """Seconds after which the provider would take the next call, where it says that it would not take it now."""
    scores: Mapping[str, float] | None = None
    """Probability of each choice, from a judge whose logits can be read."""


def content_of(request: Request) -> tuple[str | Picture | Film, ...]:
    """What a request holds, in the order in which it is sent."""
    film = () if request.film is None else (request.film,)
    return request.parts or (*request.pictures, *film, request.text)


class Client(Protocol):
    """One way to reach a judge. `send` is called from many threads at once."""

    def send(self, request: Request) -> Reply: ...

    def close(self) -> None: ...


class Failed(Exception):
    """A call that brought no reply."""

    def __init__(
        self, kind: str, reason: str, *, after: float | None = None, charged: bool | None = False, again: bool = True
    ) -> None:
        """`after`: seconds the server asks to wait. `charged`: whether it may have cost something; None: nobody knows.
        `again`: whether it is worth another attempt."""
        super().__init__(reason)
        self.kind, self.reason, self.after, self.charged, self.again = kind, reason, after, charged, again


class Denied(Failed):
    """The endpoint will answer nobody: a wrong key, an unknown model."""

    def __init__(self, reason: str) -> None:
        super().__init__("denied", reason, again=False)
