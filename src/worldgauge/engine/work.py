"""The work of one case in one stage, as every executor runs it."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worldgauge.core.case_parts import offers
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.record import Record
from worldgauge.core.signal import SignalUse
from worldgauge.core.video import Video, is_measurable
from worldgauge.engine.definitions import Definition, Seats, has_foreign_code
from worldgauge.engine.evaluate import evaluate, first_lack
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.job import Setup, build_together
from worldgauge.engine.perception import Loaded, NotStored, Perception
from worldgauge.engine.records import RecordWriter
from worldgauge.engine.reference_frames import ReferenceFrames
from worldgauge.engine.scratch import Scratch
from worldgauge.engine.stages import Stages, joint_stages
from worldgauge.engine.store import Store
from worldgauge.engine.surroundings import one_torch_thread
from worldgauge.engine.together import Together
from worldgauge.engine.watch import Slot, Watch
from worldgauge.engine.work_items import OnStep, Step
from worldgauge.engine.work_items import WorkItem as WorkItem
from worldgauge.engine.work_items import WorkResult as WorkResult

log = logging.getLogger(__name__)


NamedStep = tuple[int, str, bool]
"""The benchmark a step is of, the name of its signal or metric, and whether it is a signal."""


@dataclass(frozen=True)
class Part:
    """One of the benchmarks that a worker scores."""

    number: int
    setup: Setup
    seats: Seats
    definitions: Mapping[str, Definition]
    stages: Stages
    store: Store
    scratch: Scratch
    loaded: Loaded | None


@dataclass(frozen=True)
class _Begun:
    """An item whose signals are announced."""

    item: WorkItem
    part: Part
    inputs: CaseInputs
    perception: Perception
    watch: Watch
    wanted: list[Definition]
    to_compute: list[SignalUse]
    kept: ReferenceFrames | None


class Worker:
    """Holds what outlives a case: instruments, the store and a record file per run. OpenCV must have one thread.

    `perform` may be called by several threads, each with items of its own, of one stage.
    """

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
        # Before code of third parties is imported, which may change the working directory.
        setup = setup.placed()
        if setup.device.startswith("cuda"):
            one_torch_thread()
        self.parts = list(_parts(setup, perceive))
        first = self.parts[0]
        self.seats, self.definitions, self.stages = first.seats, first.definitions, first.stages
        self.loaded = first.loaded
        self._stage = 0
        steps = [(p.number, step) for p in self.parts for step in (*p.definitions, *p.stages.of_use)]
        self.steps = tuple(map(_named, dict.fromkeys(steps)))
        """By the number that `Watch` gives it, each step: its benchmark, its name and whether it is a signal."""
        self.on_step: OnStep | None = None
        """Called with each step as it begins and ends, where the worker is no process of its own."""
        foreign = any(has_foreign_code(p.definitions.values(), p.seats) for p in self.parts)
        self.watch = Watch(steps, setup.limits, slot, foreign=foreign)
        self._setup = setup
        self._write = write
        self._writers: dict[int, RecordWriter] = {}
        self._lock = threading.RLock()
        # Beside a GPU: the last cases of a run have the cores of those that are done.
        self._readers = ThreadPoolExecutor(setup.ahead, "worldgauge-reader") if setup.ahead > 1 else None

    def perform(self, item: WorkItem) -> WorkResult:
        """Perceive the stage's signals, then write the records that are complete with them."""
        started = time.perf_counter()
        self._enter(item.stage)
        # Each thread has its own: a step is told by one of them at a time.
        with copy(self.watch) as watch:
            watch.given_up, watch.item = item.given_up, item.serial
            watch.seconds = self._setup.limits.seconds_for(_length(item))
            try:
                result = self._perform(item, watch)
            finally:
                if self.loaded is not None:
                    self.loaded.forget_case()
        result.worked = time.perf_counter() - started
        return result

    def _enter(self, stage: int) -> None:
        """Let go of networks that this pass does not ask."""
        with self._lock:
            if stage != self._stage and self.loaded is not None:
                self.loaded.keep_only(self.stages.networks[stage])
            self._stage = stage

    def _perform(self, item: WorkItem, watch: Watch) -> WorkResult:
        """One video for all benchmarks: told first what all will ask, so that its file is decoded once."""
        together, videos = Together(), dict[Any, Video]()
        items = [replace(each, video=_fresh(each.video, videos)) for each in (item, *item.beside)]
        begun = [self._begin(each, together, bool(item.beside), watch) for each in items]
        first, *others = [self._finish(each) for each in begun]
        first.beside = others
        if self.loaded is not None:
            first.gpu_seconds = self.loaded.busy_seconds()
        return first

    def _begin(self, item: WorkItem, together: Together, joint: bool, watch: Watch) -> _Begun:
        part = self.parts[item.part]
        video = held_video(item.video, part.definitions.values())
        inputs = CaseInputs(item.case, video, item.reference, together if joint else None, self._readers)
        own = watch.of_part(part.number)
        if (on_step := self.on_step) is not None:
            about = item.case.id, item.take, part.number

            def tell(step: Hashable, done: bool) -> None:
                _, name, is_signal = _named((part.number, step))
                on_step(Step(*about, name, is_signal, done))

            own.on_step = tell
        stages, place = part.stages, (part.scratch, part.stages.spilled)
        perception = Perception(inputs, part.seats, part.store, part.loaded, own, *place, together, item.unanswered)
        wanted = [part.definitions[m] for m in item.metrics if stages.of_metric[m] >= item.stage]
        to_compute: list[SignalUse] = []
        kept = self._kept_reference(inputs, part)
        if video is not None and not item.lost and is_measurable(video):
            # What is for other cases asks nothing of this one: its signals would cost, and a judge's money.
            able = [d for d in wanted if not d.unavailable and first_lack(d, inputs) is None]
            able = [d for d in able if not d.short_is_worst or not inputs.shortfall(d.length)]
            to_compute = _announced(perception, part, item.stage, able)
        return _Begun(item, part, inputs, perception, own, wanted, to_compute, kept)

    def _finish(self, begun: _Begun) -> WorkResult:
        item, perception, stages = begun.item, begun.perception, begun.part.stages
        result = WorkResult(item.case.id, part=item.part, take=item.take)
        perception.perceive(begun.to_compute)
        for definition in begun.wanted:
            if stages.of_metric[definition.id] != item.stage:
                continue
            about = (item.lost, item.take, item.invocation, begun.watch)
            try:
                # One at a time: Python's warnings, which a metric is watched by, belong to the process.
                with self._lock:
                    record = evaluate(definition, begun.inputs, perception, *about)
                    self._append(begun.part, record, result)
            except NotStored:
                result.not_stored.append(definition.id)
                continue
            result.statuses[record.status] += 1
        if item.final and stages.spilled:
            perception.drop_spilled()
        if begun.kept is not None:
            begun.kept.save()
        result.counters = perception.counters + begun.inputs.decodes()
        result.counters["records_written"] += result.statuses.total()
        result.seconds, result.stored = perception.seconds, perception.stored
        result.costs = perception.costs
        if perception.seconds and item.video is not None:
            with contextlib.suppress(WorldGaugeError):
                info = item.video.info
                result.megapixels = info.frames * info.width * info.height / 1e6
        return result

    def _kept_reference(self, inputs: CaseInputs, part: Part) -> ReferenceFrames | None:
        """Frames of the case's reference, where they are kept for other models."""
        if not part.setup.keep_references or part.loaded is None or not offers(inputs.case, "reference"):
            return None
        try:
            kept = ReferenceFrames(part.store.root, inputs.digest("reference"))
            inputs.clip("reference").remember(kept)
        except (WorldGaugeError, OSError):
            # Told by the signals that read it.
            return None
        return kept

    def keep_in(self, folder: Path) -> None:
        """Put stored signals, and values that wait, into another folder from now on."""
        self.parts = [
            replace(
                part,
                store=Store(folder / "store", part.store.device, part.store.exact),
                scratch=Scratch(folder / "scratch"),
            )
            for part in self.parts
        ]

    def _append(self, part: Part, record: Record, result: WorkResult) -> None:
        if self._setup.returns_records:
            result.records.append(record)
            return
        if self._write is not None:
            self._write(record)
            return
        if part.number not in self._writers:
            self._writers[part.number] = RecordWriter(part.setup.out, part.setup.record_prefix)
        writer = self._writers[part.number]
        writer.append(record)
        result.file, result.size = writer.path.name, writer.size

    def close(self) -> None:
        for writer in self._writers.values():
            writer.close()
        if self._readers is not None:
            self._readers.shutdown(wait=False, cancel_futures=True)
        if self.loaded is not None:
            self.loaded.keep_only()


def _named(step: tuple[int, Hashable]) -> NamedStep:
    number, at = step
    return (number, at.signal, True) if isinstance(at, SignalUse) else (number, str(at), False)


def _parts(setup: Setup, perceive: bool) -> Iterator[Part]:
    """The benchmark of the setup and those beside it; instruments that are equal are one."""
    built = build_together(setup)
    passes = joint_stages([(definitions, seats) for _, seats, definitions in built], setup.network_memory)
    loaded = Loaded(built[0][1], setup.device, setup.largest) if perceive else None
    for number, ((own, seats, definitions), stages) in enumerate(zip(built, passes, strict=True)):
        by_id = {definition.id: definition for definition in definitions}
        ready = loaded and (loaded.beside(seats) if number else loaded)
        yield Part(number, own, seats, by_id, stages, Store.of(own), Scratch(own.scratch), ready)


def _fresh(video: Video | None, known: dict[Any, Video]) -> Video | None:
    """What the plan knew of a file may be hours old: its digest is that of the moment it is measured."""
    if video is None or video.on_disk is None:
        return video
    return known.setdefault((video.path, video.stated_fps, video.expected_frames, video.beside), copy(video))


def _announced(perception: Perception, part: Part, stage: int, definitions: list[Definition]) -> list[SignalUse]:
    """This stage's signals; the clips are told which frames they ask for."""
    needs = dict.fromkeys(use for d in definitions for use in d.metric.needs)
    try:
        to_compute = [use for use in perception.to_compute(needs) if part.stages.of_use[use] == stage]
        if part.loaded is not None:
            due = [d.metric for d in definitions if part.stages.of_metric[d.id] == stage]
            perception.announce(to_compute, due)
    except (WorldGaugeError, OSError):
        # Told by the metrics that ask for the signals.
        return []
    return to_compute


def held_video(video: Video | None, definitions: Iterable[Definition]) -> Video | None:
    """The clip as the benchmark holds it to its length: where another length is not refused, it is read as it is."""
    length = next((definition.length for definition in definitions if definition.length is not None), None)
    return video if video is None or length is None else length.read(video)


def _length(item: WorkItem) -> int:
    """Frames of the clip; 0 where it cannot be read or must not be touched."""
    if item.video is None or item.lost:
        return 0
    try:
        return item.video.info.frames
    except (WorldGaugeError, OSError):
        return 0
