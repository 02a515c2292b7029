"""The work of one case in one stage, as every executor runs it."""

from __future__ import annotations

import contextlib
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace

from worldgauge.core.case import Case
from worldgauge.core.errors import CannotWrite, WorldGaugeError
from worldgauge.core.record import Record
from worldgauge.core.signal import SignalUse
from worldgauge.core.status import Status
from worldgauge.core.video import Video, is_measurable
from worldgauge.engine.definitions import has_foreign_code
from worldgauge.engine.evaluate import evaluate
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.job import Setup
from worldgauge.engine.perception import Loaded, NotStored, Perception
from worldgauge.engine.records import RecordWriter
from worldgauge.engine.scratch import Scratch
from worldgauge.engine.stages import Stages
from worldgauge.engine.store import Store
from worldgauge.engine.watch import Slot, Watch

log = logging.getLogger(__name__)


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
    unanswered: Mapping[SignalUse, WorldGaugeError] = field(default_factory=dict)
    """Signals that somebody was asked for in vain, with the reason."""
    given_up: Mapping[int, str] = field(default_factory=dict)
    """Steps of `Watch` that have cost a worker twice, with what they did; what needs them becomes an error."""

    @property
    def key(self) -> tuple[str, int]:
        """Which video it is."""
        return self.case.id, self.take


@dataclass
class WorkResult:
    """What a worker tells the main process; the records themselves are already on disk."""

    case: str
    statuses: Counter[Status] = field(default_factory=Counter)
    counters: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    """Time per signal."""
    megapixels: float = 0.0
    """Frames times pixels of the model's clip, where something was perceived."""
    not_stored: list[str] = field(default_factory=list)
    """Metrics that would have needed perception when none was allowed."""


class Worker:
    """Holds what outlives a case: instruments, the store and one record file. OpenCV must have one thread."""

    def __init__(
        self,
        setup: Setup,
        perceive: bool,
        write: Callable[[Record], None] | None = None,
        slot: Slot | None = None,
    ) -> None:
        """`write` takes the records; else they are appended to a file of the run folder.

        `slot` is where a worker process tells what it is at.
        """
        self.seats, definitions = setup.build()
        self.definitions = {d.id: d for d in definitions}
        self.stages = Stages.of(definitions, self.seats, setup.network_memory)
        self.store = Store(setup.store)
        self.scratch = Scratch(setup.scratch)
        self._stage = 0
        self.loaded = Loaded(self.seats, setup.device) if perceive else None
        steps = (*self.definitions, *self.stages.of_use)
        self.watch = Watch(steps, setup.limits, slot, foreign=has_foreign_code(definitions, self.seats))
        self._setup = setup
        self._write = write
        self._writer: RecordWriter | None = None

    def perform(self, item: WorkItem) -> WorkResult:
        """Perceive the stage's signals, then write the records that are complete with them."""
        if item.video is not None and item.video.on_disk is not None:
            # What the plan knew of the file may be hours old: its digest is that of the moment it is measured.
            item = replace(item, video=copy(item.video))
        self._enter(item.stage)
        with self.watch as watch:
            watch.given_up = item.given_up
            watch.seconds = self._setup.limits.seconds_for(_length(item))
            try:
                return self._perform(item)
            finally:
                if self.loaded is not None:
                    self.loaded.forget_case()

    def _enter(self, stage: int) -> None:
        """Let go of networks that this pass does not ask."""
        if stage != self._stage and self.loaded is not None:
            self.loaded.keep_only(self.stages.networks[stage])
        self._stage = stage

    def _perform(self, item: WorkItem) -> WorkResult:
        result = WorkResult(item.case.id)
        inputs = CaseInputs(item.case, item.video, item.reference)
        beside = (self.scratch, self.stages.spilled, item.unanswered)
        perception = Perception(inputs, self.seats, self.store, self.loaded, self.watch, *beside)
        wanted = [self.definitions[m] for m in item.metrics if self.stages.of_metric[m] >= item.stage]
        if item.video is not None and not item.lost and is_measurable(item.video):
            self._perceive(perception, item.stage, [d.id for d in wanted if not d.unavailable])
        for definition in wanted:
            if self.stages.of_metric[definition.id] != item.stage:
                continue
            try:
                record = evaluate(definition, inputs, perception, item.lost, item.take, item.invocation, self.watch)
            except NotStored:
                result.not_stored.append(definition.id)
                continue
            self.write(record)
            result.statuses[record.status] += 1
        if item.final and self.stages.spilled:
            perception.drop_spilled()
        result.counters = perception.counters + perception.decodes()
        result.counters["records_written"] += result.statuses.total()
        result.seconds = perception.seconds
        if perception.seconds and item.video is not None:
            with contextlib.suppress(WorldGaugeError):
                info = item.video.info
                result.megapixels = info.frames * info.width * info.height / 1e6
        return result

    @property
    def write(self) -> Callable[[Record], None]:
        if self._write is None:
            self._writer = RecordWriter(self._setup.out, self._setup.record_prefix)
            self._write = self._writer.append
        return self._write

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        if self.loaded is not None:
            self.loaded.keep_only()

    def _perceive(self, perception: Perception, stage: int, metrics: list[str]) -> None:
        """Compute this stage's signals. What goes wrong is remembered and told by the metrics that need them."""
        needs = dict.fromkeys(use for m in metrics for use in self.definitions[m].metric.needs)
        try:
            to_compute = [use for use in perception.to_compute(needs) if self.stages.of_use[use] == stage]
            if self.loaded is not None:
                due = [m for m in metrics if self.stages.of_metric[m] == stage]
                perception.announce(to_compute, [self.definitions[m].metric for m in due])
        except (WorldGaugeError, OSError):
            return
        for use in to_compute:
            try:
                perception.value(use)
            except CannotWrite:
                raise
            except Exception as error:  # noqa: BLE001  the metrics that ask for the signal make the record
                log.debug("case %s, %s: %s", perception.inputs.case.id, use.describe(), error)


def _length(item: WorkItem) -> int:
    """Frames of the clip; 0 where it cannot be read or must not be touched."""
    if item.video is None or item.lost:
        return 0
    try:
        return item.video.info.frames
    except (WorldGaugeError, OSError):
        return 0
