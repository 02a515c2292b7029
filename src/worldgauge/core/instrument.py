"""`Instrument`: one way to perceive. A seat ("flow") can be taken by any instrument made for it ("dis")."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from worldgauge.core.registry import Registry


@dataclass(frozen=True)
class Weights:
    """Where a network's parameters come from and how they are known to be the right ones."""

    source: str
    """Hub id or address."""
    revision: str
    sha256: str
    licence: str
    megabytes: float


@dataclass(frozen=True)
class Instrument:
    """Base of every instrument. Subclasses are frozen dataclasses whose fields are their parameters."""

    seat: ClassVar[str]
    """The kind of perception it serves: flow, poses, depth, track, embedding, ..."""
    name: ClassVar[str]
    version: ClassVar[int] = 1
    weights: ClassVar[Weights | None] = None
    dtype: ClassVar[str] = "float32"
    memory: ClassVar[float] = 0.1
    """Gigabytes it needs while loaded, beside the frames."""

    @property
    def parameters(self) -> dict[str, Any]:
        return asdict(self)

    def identity(self) -> dict[str, Any]:
        """What goes into a signal's key: everything that can change a number, nothing that cannot."""
        identity: dict[str, Any] = {"name": self.name, "version": self.version, "parameters": self.parameters}
        if self.weights is not None:
            identity |= {"weights": self.weights.sha256, "dtype": self.dtype}
        return identity

    def unavailable(self) -> str | None:
        """Why it cannot run on this machine, in a few words that say what to install; None when it can."""
        return None

    def load(self, device: str) -> None:
        """Make it ready to infer. Called once per stage and worker."""


INSTRUMENTS: Registry[type[Instrument]] = Registry(
    "instrument",
    {
        "dis": "worldgauge.instruments.pocket.flow:DisFlow",
    },
)

INSTRUMENT_SETS: dict[str, dict[str, str]] = {
    "pocket": {"flow": "dis"},
    "reference": {},
}
"""Seat to instrument for each named set; any seat can be given to another instrument by name."""
