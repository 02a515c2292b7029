"""What is sent to a judge and what comes back, whoever it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


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
    max_tokens: int = 2048


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


@dataclass(frozen=True)
class Usage:
    """Tokens that a call took, as the provider tells them."""

    tokens_in: int
    tokens_out: int


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
