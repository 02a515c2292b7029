"""Computing the signals of one case: each at most once, from the store where it has them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from worldgauge.core.canonical import digest_of
from worldgauge.core.clip import Clip
from worldgauge.core.errors import CannotWrite, Outcome, Unavailable, Unscored
from worldgauge.core.frozen import freeze, handed_out
from worldgauge.core.instrument import Instrument
from worldgauge.core.origin import origin_of
from worldgauge.core.signal import SIGNALS, Arrays, SignalUse, inherited
from worldgauge.engine.definitions import Seats, code_of_signal
from worldgauge.engine.estimate import refuse_too_large
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.store import Store
from worldgauge.engine.watch import Watch


class NotStored(Outcome):
    """A signal would have to be perceived and perceiving is not allowed (`score`)."""


class Loaded:
    """The instruments a worker holds ready. One network at a time: loading the next lets go of the last."""

    def __init__(self, seats: Seats, device: str) -> None:
        self._seats = seats
        self._device = device
        self._ready: dict[str, Instrument] = {}

    def get(self, seat: str) -> Instrument:
        reason = self._seats.reason_empty(seat)
        if reason:
            raise Unavailable(reason)
        if seat not in self._ready:
            instrument = self._seats.instruments[seat]
            if instrument.weights:
                self._ready = {s: i for s, i in self._ready.items() if not i.weights}
            instrument.load(self._device)
            self._ready[seat] = instrument
        return self._ready[seat]


class Perception:
    """The signals of one case."""

    def __init__(
        self,
        inputs: CaseInputs,
        seats: Seats,
        store: Store,
        instruments: Loaded | None,
        watch: Watch | None = None,
    ) -> None:
        """Without `instruments` nothing is computed: what is not in the store raises `NotStored`."""
        self.counters: Counter[str] = Counter()
        self.seconds: dict[str, float] = {}
        """Time spent computing, by signal."""
        self.inputs = inputs
        self._seats = seats
        self._store = store
        self._instruments = instruments
        self._watch = watch
        self._identities: dict[SignalUse, dict[str, Any]] = {}
        self._keys: dict[SignalUse, str] = {}
        self._values: dict[SignalUse, Arrays | Exception] = {}

    def key(self, use: SignalUse) -> str:
        """Digest of what is measured and how."""
        if use not in self._keys:
            self._keys[use] = digest_of(self.identity(use))
        return self._keys[use]

    def identity(self, use: SignalUse) -> Mapping[str, Any]:
        """The content of the key."""
        if use not in self._identities:
            signal = SIGNALS.get(use.signal)
            identity: dict[str, Any] = {
                "signal": use.signal,
                "version": signal.version,
                "parameters": dict(use.parameters),
                "frames": use.frames.to_json(),
                "inputs": {part: self.inputs.digest(self._source(part, use)) for part in signal.reads},
                "needs": [self.key(need) for need in inherited(use)],
            }
            if use.frames.phase is not None:
                identity["phases"] = self.inputs.digest("phases")
            if signal.seat is not None:
                instrument = self._seats.instruments.get(signal.seat)
                if instrument is None:
                    raise Unavailable(self._seats.reason_empty(signal.seat) or "")
                identity["instrument"] = instrument.identity()
            self._identities[use] = identity | code_of_signal(use, self._seats)
        return self._identities[use]

    def to_compute(self, uses: Iterable[SignalUse]) -> list[SignalUse]:
        """Which signals, with those below them, are neither stored nor in memory; needs first."""
        found: dict[SignalUse, None] = {}
        for use in uses:
            self._visit(use, found)
        return list(found)

    def count_stored(self, uses: Iterable[SignalUse]) -> int:
        """How many of these signals are in the store."""
        return sum(SIGNALS.get(use.signal).kept and self._store.has(self.key(use)) for use in uses)

    def announce(self, uses: Iterable[SignalUse]) -> None:
        """Tell the clips which frames will be asked for, so that one decode serves all signals."""
        for use in uses:
            for part in SIGNALS.get(use.signal).reads:
                source = self._source(part, use)
                if source in ("video", "reference"):
                    self.inputs.clip(source).expect(use.frames)

    def value(self, use: SignalUse) -> Arrays:
        """The signal's value, read-only. What it raised once it raises again, without computing anew."""
        if use not in self._values:
            try:
                self._values[use] = freeze(self._obtain(use))
            except CannotWrite:
                raise
            except Exception as error:  # noqa: BLE001  kept and raised again for every metric that asks
                self._values[use] = error
        value = self._values[use]
        if isinstance(value, Exception):
            raise value
        arrays: Arrays = handed_out(value)
        return arrays

    def decodes(self) -> Counter[str]:
        """Passes over files and frames decoded, so far."""
        counted: Counter[str] = Counter()
        for clip in self.inputs.clips.values():
            counted["decode_passes"] += clip.passes
            counted["frames_decoded"] += clip.frames_decoded
        return counted

    def _visit(self, use: SignalUse, found: dict[SignalUse, None]) -> None:
        # A method: a nested function that calls itself would keep the clips until the garbage collector comes by.
        if use in found or use in self._values:
            return
        if SIGNALS.get(use.signal).kept and self._store.has(self.key(use)):
            return
        for need in inherited(use):
            self._visit(need, found)
        found[use] = None

    def _obtain(self, use: SignalUse) -> Arrays:
        signal = SIGNALS.get(use.signal)
        if signal.kept:
            entry = self._store.load(self.key(use))
            if entry is not None:
                self.counters["signals_reused"] += 1
                if entry.unscored is not None:
                    raise Unscored(entry.unscored)
                return entry.arrays
        if self._instruments is None:
            raise NotStored(f"signal {use.describe()} is not in the store", "run 'worldgauge run' first")
        if self._watch is not None:
            refuse_too_large(use, self._values, self.inputs, self._seats, self._watch.limits)
        arguments: list[Any] = [self._read(part, use) for part in signal.reads]
        arguments += [self.value(need) for need in inherited(use)]
        if signal.seat is not None:
            arguments.append(self._watched(use, partial(self._instruments.get, signal.seat), loading=True))
        started = time.perf_counter()
        try:
            arrays: Arrays = self._watched(use, partial(signal.function, *arguments, **dict(use.parameters)))
        except Unscored as outcome:
            self._keep(use, {}, started, unscored=str(outcome))
            raise
        self._keep(use, arrays, started)
        return arrays

    def _keep(self, use: SignalUse, arrays: Arrays, started: float, unscored: str | None = None) -> None:
        seconds = time.perf_counter() - started
        self.counters["signals_computed"] += 1
        self.counters[f"computed:{use.signal}"] += 1
        self.seconds[use.signal] = self.seconds.get(use.signal, 0.0) + seconds
        if SIGNALS.get(use.signal).kept:
            meta = {"signal": use.signal, "identity": self.identity(use), "seconds": seconds}
            if unscored is not None:
                meta["unscored"] = unscored
            self._store.save(self.key(use), arrays, meta)

    def _read(self, part: str, use: SignalUse) -> Any:
        value = self.inputs.value(self._source(part, use))
        return value.under(use.frames) if isinstance(value, Clip) else handed_out(freeze(value))

    def _watched(self, use: SignalUse, function: Callable[[], Any], loading: bool = False) -> Any:
        return function() if self._watch is None else self._watch.call(use, partial(self._who, use), function, loading)

    def _who(self, use: SignalUse) -> str:
        """The signal, with its instrument where that is somebody else's, and where the code came from."""
        signal = SIGNALS.get(use.signal)
        instrument = self._seats.instruments.get(signal.seat or "")
        origin = instrument and origin_of(type(instrument))
        if instrument is not None and origin:
            return f"signal '{use.signal}' with instrument '{instrument.name}' ({origin})"
        origin = origin_of(signal.function)
        return f"signal '{use.signal}'" + (f" ({origin})" if origin else "")

    @staticmethod
    def _source(part: str, use: SignalUse) -> str:
        return use.of if part == "video" else part
