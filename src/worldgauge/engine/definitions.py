"""Resolving names into definitions: which metric, on which signals, through which instruments, under which digest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from worldgauge.core.benchmark import CaseReducer, MetricUse
from worldgauge.core.bounds import digest_of_way, way_of_measuring
from worldgauge.core.canonical import digest_of, short
from worldgauge.core.case_parts import in_order
from worldgauge.core.code_digest import code_of
from worldgauge.core.contents import STANDING
from worldgauge.core.instrument import Instrument
from worldgauge.core.length import HeldLength
from worldgauge.core.metric import METRICS, Metric
from worldgauge.core.origin import is_foreign, origin_of
from worldgauge.core.run_file import DefinitionFile
from worldgauge.core.scale import Scale
from worldgauge.core.signal import SIGNALS, SignalUse, inherited, merge_parameters
from worldgauge.engine.seats import Seats as Seats
from worldgauge.engine.seats import choose_seats as choose_seats


@dataclass(frozen=True)
class Definition:
    """One column of the result, fully resolved."""

    id: str
    metric: Metric
    parameters: Mapping[str, Any]
    scale: Scale | None
    reduce: CaseReducer
    fingerprint: str
    measured: str
    """Digest of the way to measure, without the scale and how cases become one number: what a derived bound names."""
    signals: tuple[Mapping[str, Any], ...]
    """Nested description of the signals, the content of the fingerprint."""
    unavailable: str | None
    """Why no case can be scored on this machine."""
    parts: tuple[str, ...] = field(default=())
    """Parts of the case the metric and its signals read."""
    reads: tuple[str, ...] = field(default=())
    """All that a record rests on beside the definition: the video, those parts, and the case's standing."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Tags a case must have for the metric to apply."""
    unscaled: str = ""
    """Why it has no scale and enters no group."""
    given: str = ""
    """The column that says which cases count."""
    networks: tuple[Instrument, ...] = ()
    """Instruments with weights that its signals ask."""
    length: HeldLength | None = None
    """The length that clips are held to."""
    short_is_worst: bool = False
    """Whether a clip that is too short counts as the worst score."""

    def to_file(self) -> DefinitionFile:
        return DefinitionFile(
            id=self.id,
            fingerprint=self.fingerprint,
            metric=self.metric.name,
            version=self.metric.version,
            unit=self.metric.unit,
            higher_is_better=self.metric.higher_is_better,
            bounds=self.metric.bounds,
            parameters=dict(self.parameters),
            scale=self.scale,
            reduce=self.reduce,
            summary=self.metric.summary,
            signals=[dict(s) for s in self.signals],
            unavailable=self.unavailable or "",
            unscaled=self.unscaled,
            given=self.given,
            reads=self.reads,
        )


def resolve(uses: Iterable[MetricUse], seats: Seats) -> list[Definition]:
    """Turn a benchmark's metric uses into definitions."""
    return [_resolve_one(use, seats) for use in uses]


def describe_signal(use: SignalUse, seats: Seats) -> dict[str, Any]:
    """Everything that can change the signal's value, except the inputs."""
    signal = SIGNALS.get(use.signal)
    described: dict[str, Any] = {
        "signal": use.signal,
        "version": signal.version,
        "parameters": dict(use.parameters),
        "frames": use.frames.to_json(),
        "of": use.of,
        "needs": [describe_signal(need, seats) for need in inherited(use, seats)],
    }
    if signal.seat is not None:
        instrument = seats.instrument(use.signal)
        described["instrument"] = instrument.identity() if instrument else None
    return described | signal.prompt_digests() | code_of_signal(use, seats)


def who_computes(use: SignalUse, seats: Seats) -> str:
    """A signal, with its instrument where that is somebody else's, and where the code came from."""
    # Rows may be made while the signal that reads them is at work.
    streams = [need.signal for need in inherited(use, seats) if SIGNALS.get(need.signal).streams]
    for instrument in filter(None, map(seats.instrument, (use.signal, *streams))):
        if origin := origin_of(type(instrument)):
            return f"signal '{use.signal}' with instrument '{instrument.name}' ({origin})"
    origin = origin_of(SIGNALS.get(use.signal).function)
    return f"signal '{use.signal}'" + (f" ({origin})" if origin else "")


def code_of_signal(use: SignalUse, seats: Seats) -> dict[str, Any]:
    """What is known of a stranger's code below a signal; empty where all of it is ours."""
    signal = SIGNALS.get(use.signal)
    instrument = seats.instrument(use.signal)
    found = {"signal": code_of(signal.function), "instrument": code_of(type(instrument)) if instrument else {}}
    known = {key: code for key, code in found.items() if code}
    return {"code": known} if known else {}


def all_uses(metric: Metric, seats: Seats | None = None) -> list[SignalUse]:
    """Every signal below a metric under the chosen instruments, needs before the signals that need them."""
    ordered: dict[SignalUse, None] = {}

    def visit(use: SignalUse) -> None:
        for need in inherited(use, seats):
            visit(need)
        ordered.setdefault(use)

    for need in metric.needs:
        visit(need)
    return list(ordered)


def networks_of(uses: Iterable[SignalUse], seats: Seats) -> tuple[Instrument, ...]:
    """The instruments with weights that perceive for these signals, each once."""
    taken = (seats.instrument(use.signal) for use in uses)
    return tuple({id(one): one for one in taken if one is not None and one.weights}.values())


def has_foreign_code(definitions: Iterable[Definition], seats: Seats) -> bool:
    """Whether a metric, a signal below one, or its instrument was brought by `--include` or another distribution."""
    for definition in definitions:
        signals = [SIGNALS.get(use.signal) for use in all_uses(definition.metric, seats)]
        taken = [seats.instrument(signal.name) for signal in signals]
        code = [definition.metric.function, *(s.function for s in signals), *(type(i) for i in taken if i)]
        if any(map(is_foreign, code)):
            return True
    return False


def _resolve_one(use: MetricUse, seats: Seats) -> Definition:
    metric = METRICS.get(use.use or use.id)
    parameters = merge_parameters(f"metric '{metric.name}'", metric.defaults, use.parameters)
    signals = tuple(describe_signal(need, seats) for need in metric.needs)
    way = way_of_measuring(metric.name, metric.version, parameters, signals, **code_of(metric.function))
    measured = digest_of_way(way)
    use = use.scaled_for(measured)
    content = {**way, "scale": use.scale.model_dump(mode="json") if use.scale else None}
    if use.reduce != "mean":
        content["reduce"] = use.reduce
    if use.cases:
        content["cases"] = use.cases
    if use.given:
        content["given"] = use.given
    short_is_worst = use.length is not None and use.short == "worst"
    if use.length is not None and short_is_worst:
        content["length"] = use.length.rule.model_dump(mode="json", exclude={"requires", "source"})
    reasons = [seats.reason_empty(need.signal) for need in all_uses(metric, seats)]
    return Definition(
        id=use.id,
        metric=metric,
        parameters=parameters,
        scale=use.scale,
        reduce=use.reduce,
        fingerprint=short(digest_of(content)),
        measured=measured,
        signals=signals,
        unavailable=next((reason for reason in reasons if reason), None),
        parts=metric.inputs(seats),
        # How long a clip has to be may rest on anything that the case says.
        reads=_reads(metric, seats, {"case"} if short_is_worst else set()),
        tags=use.cases,
        unscaled=use.unscaled,
        given=use.given,
        networks=networks_of(all_uses(metric, seats), seats),
        length=use.length,
        short_is_worst=short_is_worst,
    )


def _reads(metric: Metric, seats: Seats, more: set[str]) -> tuple[str, ...]:
    phases = {"phases"} if any(use.frames.phase is not None for use in all_uses(metric, seats)) else set()
    # A metric is handed the whole case. Ours say what they read of it, a stranger's may read anything.
    whole = {"case"} if code_of(metric.function) else set()
    return (*in_order({"video", *metric.inputs(seats), *phases, *whole, *more}), STANDING)
