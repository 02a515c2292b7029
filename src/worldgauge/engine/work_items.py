"""What a worker is handed, and what it tells: one video of a case in one stage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.record import Record
from worldgauge.core.signal import SignalUse
from worldgauge.core.status import Status
from worldgauge.core.video import Video


@dataclass(frozen=True)
class WorkItem:
    """One video of a case in one stage."""

    case: Case
    take: int
    video: Video | None
    stage: int
    metrics: tuple[str, ...]
    lost: str = ""
    """Why the case must not be worked on: its records become errors with this reason."""
    invocation: int = 0
    """Which run of the command it belongs to."""
    reference: Video | None = None
    """A reference video in memory, in place of the file the case names."""
    final: bool = True
    """Whether no later pass comes back to the case."""
    part: int = 0
    """Which of the benchmarks that are scored together it is for."""
    beside: tuple[WorkItem, ...] = ()
    """The same video for the other benchmarks."""
    alone: bool = False
    """Whether a worker does it beside nothing else, so that it is known who has ended the worker."""
    unanswered: Mapping[SignalUse, WorldGaugeError] = field(default_factory=dict)
    """Signals that somebody was asked for in vain, with the reason."""
    serial: int = 0
    """Its number among the items of a worker process."""
    given_up: Mapping[int, str] = field(default_factory=dict)
    """Steps of `Watch` that have cost a worker twice, with what they did; what needs them becomes an error."""

    @property
    def key(self) -> tuple[str, int]:
        """Which video it is."""
        return self.case.id, self.take


class Step(NamedTuple):
    """What a worker is at, or has done, on one video of a case."""

    case: str
    take: int
    part: int
    """Which of the benchmarks that are scored together it is of."""
    name: str
    """The signal, or the metric."""
    is_signal: bool
    done: bool = False

    @property
    def video(self) -> tuple[str, int, int]:
        """As `WorkResult.item`."""
        return self.case, self.take, self.part


OnStep = Callable[[Step], object]


@dataclass
class WorkResult:
    """What a worker tells the main process; the records themselves are already on disk, or travel in it."""

    case: str
    statuses: Counter[Status] = field(default_factory=Counter)
    counters: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    """Time per signal."""
    megapixels: float = 0.0
    """Frames times pixels of the model's clip, where something was perceived."""
    not_stored: list[str] = field(default_factory=list)
    """Metrics that would have needed perception when none was allowed."""
    part: int = 0
    """Which of the benchmarks that are scored together it is of."""
    take: int = 0
    beside: list[WorkResult] = field(default_factory=list)
    """What the others have of the same video."""
    gpu_seconds: float = 0.0
    """In which something was launched on the GPU since the last result."""
    records: list[Record] = field(default_factory=list)
    """Of a worker that returns them."""
    file: str = ""
    """Of one that writes them: the file in the run folder,"""
    size: int = 0
    """and its bytes with the last of these records."""
    worked: float = 0.0
    """Seconds from the item to its answer, all benchmarks together."""
    stored: int = 0
    """Bytes brought to the store."""
    costs: dict[str, float] = field(default_factory=dict)
    """What each signal would have taken on a machine with a processor to spare."""

    @property
    def item(self) -> tuple[str, int, int]:
        """Which item it answers: case, take and benchmark."""
        return self.case, self.take, self.part

    def all(self) -> list[WorkResult]:
        """Of every benchmark."""
        return [self, *self.beside]
