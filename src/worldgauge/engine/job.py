"""A job: what to score and how. Everything a worker needs travels in it, and nothing in it is open or loaded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from worldgauge.core.asking import AskedInstrument, Spending
from worldgauge.core.benchmark import Benchmark, MetricUse, resolved_use
from worldgauge.core.canonical import digest_of
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import include
from worldgauge.core.official import OfficialUse
from worldgauge.core.prompts import place_prompts
from worldgauge.core.registry import unknown_name
from worldgauge.core.run_file import SampleFile
from worldgauge.core.submission import Submission
from worldgauge.core.weight_files import place_weights
from worldgauge.engine.definitions import Definition, Seats, choose_seats, resolve
from worldgauge.engine.limits import Limits
from worldgauge.engine.sample import draw_sample
from worldgauge.engine.scratch import FOLDER as SCRATCH
from worldgauge.engine.seats import Maker, Numerics


@dataclass(frozen=True)
class Setup:
    """How to score; enough for a worker in another process to build the same definitions."""

    metrics: tuple[MetricUse, ...]
    instrument_set: str = "pocket"
    overrides: tuple[str, ...] = ()
    """`seat=instrument:parameter=value` strings, and the same for single signals."""
    official: tuple[OfficialUse, ...] = ()
    """The benchmark's instruments under the protocol, by the full names of signals."""
    namespace: str = ""
    """The benchmark whose signals need no prefix."""
    weights: tuple[str, ...] = ()
    """Places of weights: `id=path` strings, and folders."""
    includes: tuple[Path, ...] = ()
    store: Path = Path("store")
    out: Path = Path("runs/run")
    device: str = "cpu"
    record_prefix: str = ""
    """Set by shards, so that their record files can be copied into one folder."""
    limits: Limits = field(default_factory=Limits)
    network_memory: float | None = None
    """Gigabytes for the networks of one pass over the clips; None: all that are used fit."""
    numerics: Numerics = "official"
    """How networks compute."""
    own_device: bool = False
    """Whether a network's stored values count only where this kind of device computed them."""
    batches: tuple[tuple[str, int], ...] = ()
    """Instruments that take fewer rows at a time than by themselves, because more do not fit into memory."""
    largest: tuple[int, int] | None = None
    """Width and height of the largest frame, on which networks are tried before the first case."""
    ahead: int = 1
    """Cases a worker is at side by side: some are decoded and prepared while a network is at work on another."""
    gpus: int = 1
    """GPUs that the workers are spread over."""
    keep_references: bool = False
    """Whether resized frames of reference videos are kept in the store for the next model."""
    beside: tuple[Setup, ...] = ()
    """Other benchmarks scored in the same passes over the same videos."""
    judge: AskedInstrument | None = None
    """Who is asked what only a judge can tell."""
    prompts: tuple[str, ...] = ()
    """The user's prompt files: `name=path` strings."""
    returns_records: bool = False
    """Whether workers return their records instead of writing them: those elsewhere do not see the run folder."""

    @property
    def scratch(self) -> Path:
        """Where values wait for a later pass: a folder of this run's own, so that another run may clear its own."""
        return self.store / SCRATCH / digest_of(str(self.out.absolute()))[:16]

    def placed(self) -> Setup:
        """The same setup with folders that do not depend on the working directory."""
        beside = tuple(other.placed() for other in self.beside)
        return replace(self, store=self.store.absolute(), out=self.out.absolute(), beside=beside)

    def build(self, maker: Maker | None = None) -> tuple[Seats, list[Definition]]:
        """Import the plug-ins and resolve every name. With the `maker` of another setup equal instruments are one."""
        for file in self.includes:
            include(file)
        place_weights(self.weights)
        place_prompts(self.prompts)
        maker = maker or Maker()
        maker.numerics, maker.batches, maker.on_cpu = self.numerics, dict(self.batches), self.device == "cpu"
        seats = choose_seats(self.instrument_set, self.overrides, self.official, self.namespace, maker, self.judge)
        return seats, resolve(self.metrics, seats)


def build_together(setup: Setup) -> list[tuple[Setup, Seats, list[Definition]]]:
    """A setup and those beside it, built so that an instrument which several of them ask is one object."""
    maker = Maker()
    return [(own, *own.build(maker)) for own in (setup, *setup.beside)]


@dataclass(frozen=True)
class Job:
    """A benchmark, a submission and a setup."""

    benchmark: Benchmark
    submission: Submission
    setup: Setup
    protocol: str
    only_cases: tuple[str, ...] = ()
    shard: tuple[int, int] = (1, 1)
    """i of n, counted from 1."""
    sample: SampleFile | None = None
    """Only a part of the benchmark, drawn by seed."""
    workers: int = 1
    arguments: tuple[str, ...] = field(default=())
    moved: bool = False
    """Whether the videos may lie in another place than when the folder was begun."""
    break_lock: bool = False
    """Whether a lock that another machine left is broken."""
    named: tuple[str, ...] = ()
    """Columns that were asked for by name: each must have a value in some case. Empty: whatever can be computed."""
    excluded: Mapping[str, str] = field(default_factory=dict)
    """Metrics left out because they need more than the cases or the instruments offer, with the reason."""
    damaged: tuple[str, ...] = ()
    """Why files of weights that are here cannot be used, of metrics that were left out because of them."""
    spending: Spending = field(default_factory=Spending)
    """What the judge may cost."""
    send_to: tuple[str, ...] = ()
    """Hosts that may get frames and texts."""

    def __post_init__(self) -> None:
        known = [case.id for case in self.benchmark.cases]
        for case_id in self.only_cases:
            if case_id not in known:
                raise unknown_name("case", case_id, known)
        matched = sum(self.submission.video(case_id) is not None for case_id in known)
        if matched == 0:
            raise nothing_matched(known, self.submission)

    @cached_property
    def drawn(self) -> tuple[Case, ...]:
        """The cases of the sample, or all."""
        if self.sample is None:
            return self.benchmark.cases
        return draw_sample(self.benchmark.cases, self.sample.share, self.sample.seed)

    @property
    def cases(self) -> list[int]:
        """Positions of the chosen cases of this shard."""
        index, count = self.shard
        return [i for position, i in enumerate(self.chosen) if position % count == index - 1]

    @property
    def chosen(self) -> list[int]:
        """Positions of the chosen cases of all shards."""
        drawn = {case.id for case in self.drawn}
        named = set(self.only_cases) or drawn
        return [i for i, case in enumerate(self.benchmark.cases) if case.id in drawn and case.id in named]


def nothing_matched(cases: Sequence[str], submission: Submission) -> WorldGaugeError:
    """The error for a submission that has no video of any case."""
    expected, found = _some(cases), _some(sorted(submission.videos))
    return WorldGaugeError(
        f"none of the {len(cases)} cases has a video: expected names like {expected}, found {found}",
        "rename the videos or write a submission.json",
    )


def choose_metrics(
    uses: Sequence[MetricUse], wanted: Sequence[str], namespace: str = "", protocol: str = ""
) -> tuple[MetricUse, ...]:
    """The metric uses to run: all, or those named; a name that the benchmark does not use must be registered."""
    if not wanted:
        return tuple(uses)
    from worldgauge.core.metric import METRICS

    by_id = {use.id: use for use in uses}
    for name in wanted:
        if name not in by_id:
            try:
                METRICS.full_name(name, namespace)
            except WorldGaugeError as error:
                raise unknown_name("metric", name, sorted({*by_id, *METRICS.names()})) from error
    chosen = [by_id.get(name) or resolved_use(MetricUse(id=name), namespace, protocol) for name in wanted]
    return tuple({use.id: use for use in chosen}.values())


def parse_shard(text: str) -> tuple[int, int]:
    """
    >>> parse_shard("2/3")
    (2, 3)
    """
    numbers = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    index, count = map(int, numbers.groups()) if numbers else (0, 0)
    if not 1 <= index <= count:
        raise WorldGaugeError(f"--shard {text[:40]}: expected i/n with 1 <= i <= n, for example 2/3")
    return index, count


def _some(names: Sequence[str], limit: int = 3) -> str:
    return ", ".join(repr(n) for n in names[:limit]) + (", ..." if len(names) > limit else "")
