"""How long a planned run would take on 1, 2, 4, ... workers, and what would keep more of them from being of use.

Costs are what runs on this store have measured; where none has, what the networks' cards and the signals declare. Each
forecast says which.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.signal import SIGNALS
from worldgauge.engine.definitions import Seats
from worldgauge.engine.job import Job
from worldgauge.engine.plan import CaseWork, Plan, rates_of_cards, read_rates
from worldgauge.engine.scale.resources import CPUS_BESIDE_GPU, Resources, needed_by
from worldgauge.engine.scale.schedule import Clip, Machines, Outcome, play
from worldgauge.engine.unit_costs import UnitCosts

_DECODING = 0.0046
"""Seconds of a core for a megapixel of frames: H.264 at 540 frames of 480x832 a second."""
_START, _START_WITH_GPU = 3.0, 20.0
"""Seconds until a worker is at its first clip, where no run has told."""
_DRIVER = 0.0007
"""Seconds of the driver for each record, where no run has told: an upper bound, docs/performance.md."""
_ANSWER = 5.0
"""Seconds for one answer, where no run has told."""


@dataclass(frozen=True)
class Forecast:
    """A run on several numbers of workers."""

    on_gpu: bool
    rows: tuple[tuple[int, Outcome], ...]
    """Number of workers, each with a GPU where networks run on one, and how it would go."""
    measured: tuple[str, ...]
    """Costs that runs on this store have measured."""
    declared: tuple[str, ...]
    """Costs that nobody has measured here: taken from cards and declarations."""


@dataclass(frozen=True)
class Costs:
    """Of one job, by signal and by clip."""

    signals: dict[str, float]
    """Seconds for a megapixel of frames."""
    networks: frozenset[str]
    """Signals whose time is a GPU's."""
    units: UnitCosts
    declared: frozenset[str]
    """Signals whose cost was not measured."""


def forecast(
    planned: Sequence[tuple[Job, Plan]],
    most: int,
    cores: int = CPUS_BESIDE_GPU,
    bandwidth: float = math.inf,
) -> Forecast:
    """Play the plans through on 1, 2, 4, ... workers, up to `most`.

    `cores` are those beside each GPU, `bandwidth` the bytes that the store takes in a second.
    """
    job, _ = planned[0]
    if not any(plan.records for _, plan in planned):
        raise WorldGaugeError("nothing is left to do", "plan a run whose records are not all there")
    worker = needed_by(planned)
    on_gpu = bool(worker.gpus)
    known = [costs_of(job, plan, on_gpu) for job, plan in planned]
    clips = [clip for costs, (_, plan) in zip(known, planned, strict=True) for clip in clips_of(plan, costs, on_gpu)]
    units = known[0].units
    per_clip = _DRIVER * sum(plan.records for _, plan in planned) / len(clips)
    questions = job.setup.judge.concurrency if job.setup.judge is not None else 1
    # What waits for the judge waits in the main process; a worker's places are for perception.
    shape = Resources(cores, 1) if on_gpu else Resources()
    rows = []
    for workers in _numbers(most):
        machines = Machines(
            workers,
            shape.cpus,
            shape.ahead,
            units.start if units.start is not None else (_START_WITH_GPU if on_gpu else _START),
            units.driver if units.driver is not None else per_clip,
            bandwidth,
            questions,
        )
        rows.append((workers, play(clips, machines)))
    measured, declared = _told(known, any(plan.asking.calls for _, plan in planned))
    return Forecast(on_gpu, tuple(rows), measured, declared)


def costs_of(job: Job, plan: Plan, on_gpu: bool) -> Costs:
    """What is known of the signals that a plan has to compute."""
    seats = job.setup.build()[0]
    rates = read_rates(job.setup.store)
    cards = rates_of_cards(plan, seats, 1) if on_gpu else {}
    names = [name for name in plan.signals() if not SIGNALS.get(name).is_asked]
    signals = {name: rates.get(name, cards.get(name, SIGNALS.get(name).cost)) for name in names}
    networks = frozenset(name for name in names if on_gpu and _is_network(name, seats))
    return Costs(signals, networks, UnitCosts.read(job.setup.store), frozenset(names) - rates.keys())


def clips_of(plan: Plan, costs: Costs, on_gpu: bool) -> Iterator[Clip]:
    """What each clip takes. Those that the plan has not looked into are like the mean of the others."""
    sizes = [size for work in plan.works if (size := _megapixels(work)) is not None]
    mean = fmean(sizes) if sizes else 0.0
    seconds = costs.units.answer if costs.units.answer is not None else _ANSWER
    asked = sum(any(SIGNALS.get(use.signal).is_asked for use in work.compute) for work in plan.works)
    calls = plan.asking.calls / asked if asked else 0.0
    for work in plan.works:
        if not work.todo:
            continue
        size, names = _megapixels(work), [use.signal for use in work.compute]
        size = mean if size is None else size
        of_gpu = sum(costs.signals[name] for name in names if name in costs.networks) * size
        of_cores = sum(costs.signals[name] for name in names if name in costs.signals.keys() - costs.networks) * size
        # A measured rate has the decoding in it; a card is about frames that are there.
        if any(name in costs.networks and name in costs.declared for name in names):
            of_cores += _DECODING * size
        waits = any(SIGNALS.get(name).is_asked for name in names)
        yield Clip(
            of_cores + (costs.units.beside or 0.0),
            of_gpu,
            (costs.units.stored or 0.0) if names else 0.0,
            calls * seconds if waits else 0.0,
        )


def _is_network(name: str, seats: Seats) -> bool:
    instrument = seats.instrument(name)
    return instrument is not None and bool(instrument.weights)


def _megapixels(work: CaseWork) -> float | None:
    """Frames times pixels, where the plan has looked into the clip."""
    if work.video is None:
        return 0.0
    if "info" not in vars(work.video):
        return None
    info = work.video.info
    return info.frames * info.width * info.height / 1e6


def _numbers(most: int) -> list[int]:
    """
    >>> _numbers(6)
    [1, 2, 4, 6]
    """
    doubled = [2**k for k in range(most.bit_length()) if 2**k < most]
    return [*doubled, most]


def _told(known: Iterable[Costs], judged: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of costs that were measured, and of those that were not."""
    listed = list(known)
    units = listed[0].units
    told = {"start": units.start, "driver": units.driver, "clip beside signals": units.beside, "stored": units.stored}
    if judged:
        told["answer"] = units.answer
    names = {name: name not in costs.declared for costs in listed for name in costs.signals}
    all_of = names | {name: value is not None for name, value in told.items()}
    return tuple(n for n, known in all_of.items() if known), tuple(n for n, known in all_of.items() if not known)
