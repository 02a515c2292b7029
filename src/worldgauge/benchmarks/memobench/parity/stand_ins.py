"""Recorded answers of networks in the seats of the instruments, and clips from recorded arrays: what lets a recorded
call go through the signals and metrics of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.benchmark import read_benchmark_file, resolved_uses
from worldgauge.core.case import Case, Condition, Phases, Reference, Target
from worldgauge.core.frames import FrameSpec
from worldgauge.core.instrument import Instrument
from worldgauge.core.metric import METRICS, Measurement
from worldgauge.core.signal import Arrays
from worldgauge.core.video import Video
from worldgauge.engine.definitions import Seats
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.perception import Loaded, Perception
from worldgauge.engine.store import Store
from worldgauge.functional.phases import clamped_boundaries

Images = NDArray[np.uint8]
SIDE = 16
"""Of numbered frames, px."""


@dataclass(frozen=True)
class StandIn(Instrument):
    """Answers by the number that is painted into a frame."""

    answers: Any = field(default=None, compare=False)
    name: ClassVar[str] = "recorded"

    @property
    def parameters(self) -> dict[str, Any]:
        return {}


class RecordedFlow(StandIn):
    """Flow by what two frames show; where several recorded pairs show the same, in their order."""

    seat = "flow"

    def flow_stacks(self, frames: Sequence[Images], pairs: Sequence[tuple[int, int]]) -> Iterator[NDArray[np.float32]]:
        for i, j in pairs:
            yield self._flow(frames[i], frames[j])[None]

    def _flow(self, first: Images, second: Images) -> NDArray[np.float32]:
        waiting: list[tuple[bytes, bytes, NDArray[np.float32]]] = self.answers
        shown = (first.tobytes(), second.tobytes())
        here = next((n for n, (a, b, _) in enumerate(waiting) if (a, b) == shown), None)
        # A phase too short for the released rule has pairs that were never recorded and do not count.
        return waiting.pop(here)[2] if here is not None else np.zeros((*first.shape[:2], 2), np.float32)


class RecordedTokens(StandIn):
    seat = "embedding"

    def embeddings(self, frames: Images) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        tokens = np.stack([self.answers[number_in(frame)] for frame in frames])
        return tokens[:, None], tokens.mean(axis=1)


class RecordedDepth(StandIn):
    seat = "image_depth"

    def depths(self, frames: Images) -> NDArray[np.float32]:
        return np.stack([self.answers[number_in(frame)] for frame in frames])


class RecordedMasks(StandIn):
    seat = "segmenter"

    def segment(
        self, frames: Images, phrases: Sequence[str], threshold: float
    ) -> list[tuple[NDArray[np.bool_], Sequence[float]]]:
        return [self.answers[number_in(frame)] for frame in frames]


class RecordedReward(StandIn):
    """Rewards in the order in which they were given."""

    seat = "prompt_reward"

    def rewards(self, prompts: Sequence[str], frames: Images) -> NDArray[np.float64]:
        return np.array([next(self.answers) for _ in frames], np.float64)


class RecordedEmbedding(StandIn):
    """Any vector: only which frames are looked at is compared."""

    seat = "image_embedding"

    def embeddings(self, frames: Images) -> NDArray[np.float32]:
        return np.ones((len(frames), 1), np.float32)


def numbered(frames: int, height: int = SIDE, width: int = SIDE) -> Images:
    """Frames that show their own number."""
    grey = np.arange(frames, dtype=np.uint8)[:, None, None, None]
    return np.broadcast_to(grey, (frames, height, width, 3)).copy()


def number_in(image: Images) -> int:
    """
    >>> number_in(numbered(3)[2])
    2
    """
    return int(image[0, 0, 0])


def reached(frames: int, gone: int, back: int) -> bool:
    """Whether the released map can end at these boundaries at all: it then maps them to themselves.

    >>> reached(20, 8, 12), reached(20, 8, 9)
    (True, False)
    """
    return clamped_boundaries(gone, back, frames, frames) == (gone, back)


class RecordedCall:
    """One clip with its reference, measured by the benchmark's own columns under `released`."""

    def __init__(
        self,
        video: Images,
        reference: Images,
        keyframes: tuple[int, int],
        instruments: Sequence[Instrument] = (),
        max_side: int | None = None,
    ) -> None:
        gone, back = keyframes
        self.case = Case(
            id="recorded",
            condition=Condition(prompt="recorded"),
            reference=Reference(
                video="recorded",
                phases=Phases(gone=gone, back=back, unordered=back < gone),
                target=Target(name="recorded"),
            ),
        )
        self._seats = Seats({instrument.seat: instrument for instrument in instruments}, "recorded")
        self._limit = None if max_side is None else FrameSpec().within(max_side)
        self._folder = TemporaryDirectory()
        shown, true = (Video.from_array(np.ascontiguousarray(frames), layout="THWC") for frames in (video, reference))
        inputs = CaseInputs(self.case, shown, true)
        self._perception = Perception(inputs, self._seats, Store(Path(self._folder.name)), Loaded(self._seats, "cpu"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._folder.cleanup()

    def signals(self, column: str) -> list[Arrays]:
        """What the metric of a column is handed."""
        uses = METRICS.get(COLUMNS[column].use).needs
        limited = [replace(u, frames=self._limit) if self._limit and u.frames.max_side else u for u in uses]
        return [self._perception.value(use) for use in limited]

    def measure(self, column: str) -> Measurement:
        """The column's metric on this clip."""
        return measured(column, self.case, *self.signals(column))


def measured(column: str, case: Case, *signals: Mapping[str, NDArray[Any]]) -> Measurement:
    """A column of the benchmark under `released`, from signals."""
    use = COLUMNS[column]
    answer: Measurement = METRICS.get(use.use).function(case, *signals, **use.parameters)
    return answer


COLUMNS = {use.id: use for use in resolved_uses(read_benchmark_file("memobench"), "released")}
