"""Which instrument perceives for which signal: the user's choice, the benchmark's official one, the set's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from worldgauge.core.asking import AskedInstrument
from worldgauge.core.canonical import canonical_json
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.instrument import INSTRUMENTS, SEATS, Instrument, filled_sets, instrument_sets
from worldgauge.core.official import OfficialUse
from worldgauge.core.registry import unknown_name
from worldgauge.core.run_file import RunFile
from worldgauge.core.signal import SIGNALS

POCKET, REFERENCE, AUTO = "pocket", "reference", "auto"
_AS_OFFICIAL = (REFERENCE, AUTO)
"""Sets in which a benchmark's official instruments sit where it names some."""
_EMPTY = {"judge": "no judge; name one with --judge, or write a [judge] table into worldgauge.toml"}
"""Seats that no set fills, and who does."""


@dataclass(frozen=True)
class Seats:
    """The instruments of a run."""

    instruments: Mapping[str, Instrument]
    """By seat: what perceives where nothing else is said for a signal."""
    set_name: str
    of_signal: Mapping[str, Instrument] = field(default_factory=dict)
    """By the full name of a signal: what the user or the benchmark chose for it."""
    not_here: Mapping[str, str] = field(default_factory=dict)
    """Signal to the official instrument that nobody brings yet."""

    def instrument(self, signal: str) -> Instrument | None:
        """What perceives for a signal; None where its seat is empty or it has none."""
        if signal in self.of_signal:
            return self.of_signal[signal]
        seat = SIGNALS.get(signal).seat
        return None if seat is None or signal in self.not_here else self.instruments.get(seat)

    def reason_empty(self, signal: str) -> str | None:
        """Why nothing can perceive for the signal here, or None when something can."""
        seat = SIGNALS.get(signal).seat
        if seat is None:
            return None
        instrument = self.instrument(signal)
        if instrument is None:
            if signal in self.not_here:
                return f"the official instrument '{self.not_here[signal]}' is not part of this version{self._or(seat)}"
            return self.reason_seat_empty(seat)
        reason = instrument.unavailable()
        return f"{instrument.name}: {reason}{self._or(seat)}" if reason else None

    def reason_seat_empty(self, seat: str) -> str | None:
        """The same for who asks a seat without any signal."""
        instrument = self.instruments.get(seat)
        if instrument is None:
            return _EMPTY.get(seat) or f"no {seat} instrument in the '{self.set_name}' set"
        reason = instrument.unavailable()
        return f"{instrument.name}: {reason}" if reason else None

    def _or(self, seat: str) -> str:
        """What else fills the seat, for those who do not need the official number."""
        can = self.set_name in _AS_OFFICIAL and seat in instrument_sets().get(POCKET, {})
        return f", or --instruments {POCKET}" if can else ""


Numerics = Literal["official", "fast", "exact"]
"""How networks compute on a GPU: as the authors' code does, faster, or to the bit whatever else is asked beside."""


class Maker:
    """Makes instruments; equal ones are one object, which is loaded once."""

    def __init__(self, numerics: Numerics = "official", batches: Mapping[str, int] | None = None) -> None:
        """`batches`: rows an instrument takes at a time where its own number does not fit into memory."""
        self._made: dict[tuple[str, str], Instrument] = {}
        self.numerics = numerics
        self.batches = batches or {}
        self.on_cpu = False
        """Whether there is no GPU for kinds of numbers that only a GPU is quick in."""

    def make(self, name: str, parameters: Mapping[str, Any], numerics: Numerics | None = None) -> Instrument:
        """An instrument; what `parameters` say of its numerics stands before what is said for all."""
        kind = INSTRUMENTS.get(name)
        known = list(kind().parameters) if parameters else []
        for key in parameters:
            if key not in known:
                raise unknown_name(f"parameter of instrument '{name}'", key, known)
        chosen = dict({"fast": kind.fast, "exact": kind.exact}.get(numerics or self.numerics, {}))
        if name in self.batches:
            chosen["batch"] = self.batches[name]
        made = kind(**{**chosen, **parameters})
        return self._made.setdefault((name, canonical_json(made.parameters)), made)


def choose_seats(
    set_name: str = POCKET,
    overrides: Iterable[str] = (),
    official: Iterable[OfficialUse] = (),
    namespace: str = "",
    maker: Maker | None = None,
    judge: Instrument | None = None,
) -> Seats:
    """The instruments of a named set with the user's overrides, such as `flow=dis:preset=fast`.

    A seat or a signal stands before the sign; the signal wins. `official` are the benchmark's own for a protocol, under
    the full names of signals; they sit in the sets `reference` and `auto` where the user has not chosen. `namespace` is
    the benchmark, whose signals need no prefix. `maker` is that of another benchmark whose instruments are shared.
    `judge` is the one that was chosen, where one was.
    """
    maker, seats = maker or Maker(), _seats_of(set_name)
    chosen = {seat: maker.make(name, {}) for seat, name in seats.items()}
    users_seats: set[str] = set()
    if judge is not None:
        chosen[judge.seat] = judge
        users_seats.add(judge.seat)
    of_signal: dict[str, Instrument] = {}
    for override in overrides:
        place, name, settings = _parts(override)
        instrument = maker.make(name, _typed(INSTRUMENTS.get(name), settings))
        if place in SEATS:
            _check_seat(override, instrument, place)
            chosen[place] = instrument
            users_seats.add(place)
        else:
            signal = _signal(override, place, namespace)
            _check_seat(override, instrument, SIGNALS.get(signal).seat or "")
            of_signal[signal] = instrument
    official = tuple(official)
    of_signal |= _forms_of(judge, official)
    not_here: dict[str, str] = {}
    for use in official if set_name in _AS_OFFICIAL else ():
        seat = SIGNALS.get(use.signal).seat
        if not use.official or use.signal in of_signal or seat in users_seats:
            continue
        if use.official in INSTRUMENTS.names():
            of_signal[use.signal] = _official(maker, use)
        else:
            not_here[use.signal] = use.official
    return Seats(chosen, set_name, of_signal, not_here)


def _forms_of(judge: Instrument | None, official: Iterable[OfficialUse]) -> dict[str, Instrument]:
    """The judge as each signal asks it whose questions have an official form, in any set."""
    if not isinstance(judge, AskedInstrument):
        return {}
    return {use.signal: judge.for_signal(use.signal, use.judge.settings) for use in official if use.judge is not None}


def seats_of_run(file: RunFile) -> Seats:
    """The instruments that a run was made with, as its definitions tell them."""
    maker, found = Maker(), dict[str, Instrument]()
    for signal in _signals_in(file):
        told = signal.get("instrument")
        if told and told["name"] in INSTRUMENTS.names():
            found[signal["signal"]] = maker.make(told["name"], told["parameters"])
    return Seats({}, "run", found)


def _official(maker: Maker, use: OfficialUse) -> Instrument:
    """The official instrument of a signal; where the rest is fast, a number that this would change is not."""
    # On a CPU everything is computed in float32, and the table says where the authors' code is not.
    settings = {key: value for key, value in use.parameters.items() if not (maker.on_cpu and key == "dtype")}
    if maker.numerics == "official":
        return maker.make(use.official, settings)
    if maker.numerics == "fast" and use.precise:
        return maker.make(use.official, settings, "official")
    kind = INSTRUMENTS.get(use.official)
    chosen = kind.fast if maker.numerics == "fast" else kind.exact
    return maker.make(use.official, {key: value for key, value in settings.items() if key not in chosen})


def _signals_in(file: RunFile) -> Iterator[Mapping[str, Any]]:
    pending = [signal for definition in file.definitions for signal in definition.signals]
    while pending:
        signal = pending.pop()
        pending += signal.get("needs", ())
        yield signal


def _seats_of(set_name: str) -> dict[str, str]:
    """Seat to instrument. `auto` takes what needs no weights where there is such a thing, else the reference's."""
    sets, filled = instrument_sets(), filled_sets()
    if set_name == AUTO:
        return {**sets.get(REFERENCE, {}), **sets.get(POCKET, {})}
    if set_name in sets and set_name not in filled:
        raise WorldGaugeError(
            f"the instrument set '{set_name}' holds no instrument yet: every seat of it is empty",
            f"choose {' or '.join(filled)}, and single instruments with --use",
        )
    if set_name not in filled:
        raise unknown_name("instrument set", set_name, [AUTO, *filled])
    return sets[set_name]


def _parts(override: str) -> tuple[str, str, str]:
    place, _, rest = override.partition("=")
    name, _, settings = rest.partition(":")
    if not name:
        raise WorldGaugeError(
            f"--use {override}: expected SEAT=INSTRUMENT or SIGNAL=INSTRUMENT, and :PARAMETER=VALUE,... behind it"
        )
    return place, name, settings


def _signal(override: str, place: str, namespace: str) -> str:
    """The full name of the signal that an override is about."""
    try:
        name = SIGNALS.full_name(place, namespace)
    except WorldGaugeError as error:
        raise WorldGaugeError(
            f"--use {override}: {unknown_name('seat or signal', place, [*SEATS, *SIGNALS.names()])}"
        ) from error
    if SIGNALS.get(name).seat is None:
        below = [need.signal for need in SIGNALS.get(name).needs if SIGNALS.get(need.signal).seat is not None]
        hint = f"it rests on {', '.join(below)}" if below else ""
        raise WorldGaugeError(f"--use {override}: signal '{name}' asks no instrument", hint)
    return name


def _check_seat(override: str, instrument: Instrument, seat: str) -> None:
    if instrument.seat != seat:
        raise WorldGaugeError(
            f"--use {override}: '{instrument.name}' is for the seat '{instrument.seat}', not '{seat}'"
        )


def _typed(instrument: type[Instrument], settings: str) -> dict[str, Any]:
    defaults = instrument().parameters
    given: dict[str, Any] = {}
    for item in filter(None, settings.split(",")):
        key, _, text = item.partition("=")
        if key not in defaults:
            raise unknown_name(f"parameter of instrument '{instrument.name}'", key, list(defaults))
        kind = type(defaults[key])
        try:
            given[key] = text.lower() in ("1", "true", "yes") if kind is bool else kind(text)
        except ValueError as error:
            raise WorldGaugeError(
                f"instrument '{instrument.name}': {key} takes a {kind.__name__}, got '{text}'"
            ) from error
    return given
