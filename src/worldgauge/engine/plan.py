"""The plan: what a run would do, found out without doing it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter

from worldgauge.core.asking import AskedInstrument, Expected
from worldgauge.core.case import Case
from worldgauge.core.contents import Contents, inputs_digest, remember_files
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.instrument import Instrument
from worldgauge.core.manifest import benchmarks
from worldgauge.core.signal import SIGNALS, SignalUse
from worldgauge.core.video import Video
from worldgauge.core.weight_files import Located, locate
from worldgauge.engine.contents import establish, part_names
from worldgauge.engine.continuing import found_before, identity_of
from worldgauge.engine.definitions import Definition, Seats, all_uses
from worldgauge.engine.estimate import memory_needed
from worldgauge.engine.evaluate import first_lack
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.job import Job
from worldgauge.engine.perception import Perception
from worldgauge.engine.possible import why_not
from worldgauge.engine.rates import DECLARED, OF_CARD, Rate, busyness, read_costs
from worldgauge.engine.rates import RATES_FILE as RATES_FILE
from worldgauge.engine.rates import read_rates as read_rates
from worldgauge.engine.records import finished
from worldgauge.engine.seats import Maker
from worldgauge.engine.stages import Stages, joint_stages
from worldgauge.engine.store import Store

_CARD_MEGAPIXELS = 0.48 * 0.832
"""Of the frames that the rates of cards are about."""
_PROBED = 64
"""Clips looked into for the estimate of time and memory, beside those already known; the rest are taken to be like
them."""


@dataclass(frozen=True)
class CaseWork:
    """What is left to do for one video of a case."""

    case: Case
    take: int
    video: Video | None
    todo: tuple[str, ...]
    """Metric ids without a finished record."""
    compute: tuple[SignalUse, ...] = ()
    """Signals to perceive."""
    stored: int = 0
    """Signals already in the store, those of finished records too."""


@dataclass
class Plan:
    """Everything `plan` prints and `run` does."""

    cases: int
    works: list[CaseWork]
    definitions: list[Definition]
    stages: Stages
    done_records: int = 0
    missing: list[str] = field(default_factory=list)
    """Cases with no video, or with a take that is not there."""
    unknown: list[str] = field(default_factory=list)
    """Videos that belong to no case."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Folders that were not searched for videos, each with what it is."""
    impossible: dict[str, str] = field(default_factory=dict)
    """Metric id to the reason why no chosen case can be scored."""
    excluded: Mapping[str, str] = field(default_factory=dict)
    """Metrics that were left out beforehand because they need more than there is, with the reason."""
    contents: Contents | None = None
    """What is there now."""
    invocation: int = 0
    """The number its records will carry."""
    networks: list[Instrument] = field(default_factory=list)
    """Instruments with weights that its metrics rest on, whether they can run here or not."""
    weights: list[Located] = field(default_factory=list)
    """Files of weights that its instruments need, here or missing."""
    remarks: list[str] = field(default_factory=list)
    """On the folder it goes on with."""
    seconds: float = 0.0
    """Expected time of perception on one worker."""
    seconds_between: tuple[float, float] = (0.0, 0.0)
    """From where to where that may lie: by how far clips and runs differed, or by how little is known."""
    costs: Mapping[str, float] = field(default_factory=dict)
    """Signal to the expected seconds on one clip."""
    gigabytes: float = 0.0
    """Expected memory of one worker."""
    asking: Expected = field(default_factory=Expected)
    """What the answers will take that are not stored."""
    judge: AskedInstrument | None = None
    """Who will be asked."""
    too_large: dict[str, float] = field(default_factory=dict)
    """Cases whose clip would need more than a worker may take, with the gigabytes, as far as clips were looked into."""

    @property
    def records(self) -> int:
        """Records to write."""
        return sum(len(work.todo) for work in self.works)

    def signals(self) -> Counter[str]:
        """How often each signal has to be computed."""
        return Counter(use.signal for work in self.works for use in work.compute)

    @property
    def stored(self) -> int:
        return sum(work.stored for work in self.works)


def make_plan(job: Job) -> Plan:
    """Look at every chosen case: its video, its finished records, its stored signals."""
    return make_plans([job])[0]


def make_plans(jobs: Sequence[Job]) -> list[Plan]:
    """The plans of several benchmarks that are scored in the same passes over the same videos."""
    maker, asked = Maker(), set[str]()
    built = [job.setup.build(maker) for job in jobs]
    passes = joint_stages([(definitions, seats) for seats, definitions in built], jobs[0].setup.network_memory)
    return [_plan(job, *of_job, stages, asked) for job, of_job, stages in zip(jobs, built, passes, strict=True)]


def _plan(job: Job, seats: Seats, definitions: list[Definition], stages: Stages, asked: set[str]) -> Plan:
    _check_policy(job, definitions)
    before, listed, remarks = found_before(job)
    store, (done, invocation) = Store.of(job.setup), finished(job.setup.out)
    plan = Plan(len(job.cases), [], definitions, stages, remarks=remarks)
    plan.invocation = max(invocation, len(before.invocations) if before else 0)
    known = {case.id for case in job.benchmark.cases}
    plan.unknown = sorted(set(job.submission.videos) - known)
    plan.left_out = job.submission.left_out
    chosen = {job.benchmark.cases[position].id for position in job.cases}
    # Of a part that is run again the rest is looked at too, so that nothing stale counts there and nothing is lost.
    looked_at = chosen | {case for case, _ in done} | (listed.cases if listed is not None else set())
    files = {d.id: d for d in before.definitions} if before else {}
    reads = part_names([*(files | {d.id: d.to_file() for d in definitions}).values()])
    remember_files(job.setup.out)
    plan.contents, inputs = establish(
        identity_of(job.benchmark, job.submission, job.protocol),
        [case for case in job.benchmark.cases if case.id in looked_at],
        job.submission,
        reads,
    )
    for key, found in inputs.items():
        if found.case.id in chosen:
            parts = plan.contents.videos[key]
            work, count = _examine(found, key[1], parts, definitions, seats, store, done.get(key, {}))
            plan.works.append(work)
            plan.done_records += count
            if found.video is None:
                plan.missing.append(found.case.id)
    if plan.stages.asking is not None:
        plan.judge = job.setup.judge
        plan.asking = _expected(plan, seats, store, asked)
    plan.impossible = why_not(definitions, [job.benchmark.cases[i] for i in job.cases])
    plan.excluded = job.excluded
    plan.remarks += _remarks_of_benchmark(job)
    plan.networks = list({one.name: one for d in definitions for one in d.networks}.values())
    plan.weights = [locate(name) for name in dict.fromkeys(name for one in plan.networks for name in one.weights)]
    sharing = max(1, job.workers // job.setup.gpus) if job.setup.device.startswith("cuda") else 0
    plan.seconds, plan.gigabytes = _estimate(plan, seats, store, job.setup.limits.memory, sharing)
    return plan


def _remarks_of_benchmark(job: Job) -> list[str]:
    """What the benchmark has to say of these cases and columns before a run."""
    manifest = benchmarks().get(job.benchmark.file.name)
    if manifest is None or not manifest.remarks:
        return []
    return list(manifest.resolve(manifest.remarks)([job.benchmark.cases[i] for i in job.cases], job.setup.metrics))


def _examine(
    inputs: CaseInputs,
    take: int,
    parts: Mapping[str, str],
    definitions: list[Definition],
    seats: Seats,
    store: Store,
    done: Mapping[tuple[str, str, str], bool],
) -> tuple[CaseWork, int]:
    case, video = inputs.case, inputs.video
    perception = Perception(inputs, seats, store, None)
    todo = [d for d in definitions if not _is_done(d, parts, done)]
    able = [d for d in definitions if video is not None and not d.unavailable and first_lack(d, inputs) is None]
    left = {d.id for d in todo}
    needed = list(dict.fromkeys(use for d in able if d.id in left for use in d.metric.needs))
    stored = 0
    try:
        compute = perception.to_compute(needed)
        stored = perception.count_stored({use for d in able for use in all_uses(d.metric, seats)})
    except (WorldGaugeError, OSError):
        # An unreadable part of the data set becomes an error record when the case is worked on.
        compute = needed
    return CaseWork(case, take, video, tuple(d.id for d in todo), tuple(compute), stored), len(definitions) - len(todo)


def _expected(plan: Plan, seats: Seats, store: Store, known: set[str]) -> Expected:
    """What is still to be asked; a question in common counts once, also where two benchmarks ask it: `known`."""
    total = Expected()
    for work in plan.works:
        asked = [use for use in work.compute if SIGNALS.get(use.signal).is_asked]
        perception = Perception(CaseInputs(work.case, work.video), seats, store, None)
        for use in asked:
            try:
                for key, expected in perception.expected(use).items():
                    if key not in known and not store.has(key):
                        total += expected
                    known.add(key)
            except (WorldGaugeError, OSError):
                # Told by the record when the case is worked on.
                continue
    return total


def _is_done(definition: Definition, parts: Mapping[str, str], done: Mapping[tuple[str, str, str], bool]) -> bool:
    """Whether a record agrees with what is there and is final. One that is not is tried again where that can help."""
    again = done.get((definition.id, definition.fingerprint, inputs_digest(parts, definition.reads)))
    return again is not None and (not again or definition.unavailable is not None)


def _estimate(
    plan: Plan, seats: Seats, store: Store, limit: int | None = None, sharing: int = 0
) -> tuple[float, float]:
    """Seconds for one worker, and its gigabytes on the clip that needs the most; clips over the limit are noted.

    `sharing`: workers of one GPU, 0 without any.
    """
    # As measured on this machine, else as the networks' cards say, else as the signals do.
    rates = {name: Rate.within(SIGNALS.get(name).cost, DECLARED) for name in plan.signals()}
    if sharing:
        rates |= {name: Rate.within(rate, OF_CARD) for name, rate in rates_of_cards(plan, seats, sharing).items()}
    rates |= read_costs(store.root)
    busy = [work for work in plan.works if work.compute and work.video is not None]
    spread = {id(work) for work in busy[:: max(1, len(busy) // _PROBED)][:_PROBED]}
    looked_into = [work for work in busy if id(work) in spread or "info" in vars(work.video)]
    # Side by side: of a folder of frames the first one is decoded.
    with ThreadPoolExecutor(min(16, os.cpu_count() or 1)) as pool:
        sizes = list(pool.map(partial(_looked_into, seats=seats), looked_into))
    megapixels, most = [], 0.0
    for work, size in zip(looked_into, sizes, strict=True):
        if size is None:
            continue
        pixels, needed = size
        megapixels.append(pixels)
        if limit is not None and needed > limit:
            plan.too_large[work.case.id] = needed / 2**30
        else:
            most = max(most, needed / 2**30 + plan.stages.loaded_gigabytes(work.compute))
    if not megapixels:
        return 0.0, 0.0
    mean = sum(megapixels) / len(megapixels)
    counts = plan.signals()
    plan.costs = {name: rates[name].typical * mean for name in counts}
    low, high = (sum(end(rates[name]) * mean * n for name, n in counts.items()) for end in (_low, _high))
    plan.seconds_between = low, high
    return sum(plan.costs[name] * count for name, count in counts.items()), most


_low, _high = attrgetter("low"), attrgetter("high")


def expected_between(plan: Plan, job: Job) -> tuple[float, float]:
    """Seconds that the run will take at least and at most, all workers at work: on a CPU with what others leave of it.

    Perception only: a run of a few seconds takes as long to start.
    """
    workers = max(1, min(job.workers, sum(bool(work.compute) for work in plan.works)))
    if job.setup.device != "cpu":
        low, high = (end / workers for end in plan.seconds_between)
        return low, high
    # More workers than cores take turns.
    at_once = min(workers, os.cpu_count() or 1)
    return plan.seconds_between[0] / at_once, plan.seconds_between[1] / workers * busyness(workers)


def _looked_into(work: CaseWork, seats: Seats) -> tuple[float, float] | None:
    """Megapixels of a clip, and the bytes that a worker needs for it; None where it cannot be read."""
    assert work.video is not None
    try:
        info = work.video.info
        needed = memory_needed(work.compute, CaseInputs(work.case, work.video), seats)
    except (WorldGaugeError, OSError):
        return None
    return info.frames * info.width * info.height / 1e6, needed


def rates_of_cards(plan: Plan, seats: Seats, sharing: int) -> dict[str, float]:
    """Seconds of a worker per frame of one megapixel, by signal, where a network's card tells how fast it is on a GPU:
    no faster where several share it."""
    found = {}
    for name in plan.signals():
        instrument = seats.instrument(name)
        if instrument is not None and instrument.rate is not None:
            found[name] = sharing / (instrument.rate * _CARD_MEGAPIXELS)
    return found


def _check_policy(job: Job, definitions: list[Definition]) -> None:
    if "worst" not in job.benchmark.file.policy.rules().values():
        return
    for definition in definitions:
        if definition.to_file().worst is None:
            raise WorldGaugeError(
                f"benchmark '{job.benchmark.file.name}' counts absent videos as the worst score, "
                f"but metric '{definition.id}' has none",
                "give it a scale in benchmark.toml",
            )
