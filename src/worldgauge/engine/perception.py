"""Computing the signals of one case: each at most once, from the store where it has them."""

from __future__ import annotations

import contextlib
import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any

from worldgauge.core.asking import AskedInstrument, Estimated, Expected
from worldgauge.core.canonical import digest_of
from worldgauge.core.clip import Clip
from worldgauge.core.errors import Outcome, StopsRun, Unavailable, Unscored, WorldGaugeError
from worldgauge.core.frozen import freeze, handed_out
from worldgauge.core.metric import Metric
from worldgauge.core.process_state import preserved_state
from worldgauge.core.signal import SIGNALS, Arrays, Signal, SignalUse, inherited
from worldgauge.engine.definitions import Seats, code_of_signal, who_computes
from worldgauge.engine.device_kind import cpu_kind
from worldgauge.engine.estimate import refuse_too_large
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.loaded import Loaded as Loaded
from worldgauge.engine.passing import Passing, blamed
from worldgauge.engine.rates import Elapsed, Moment
from worldgauge.engine.scratch import FOLDER as SCRATCH
from worldgauge.engine.scratch import Held, Scratch
from worldgauge.engine.store import Store
from worldgauge.engine.together import Together
from worldgauge.engine.watch import Watch

log = logging.getLogger(__name__)


class NotStored(Outcome):
    """A signal would have to be perceived and perceiving is not allowed (`score`)."""


class Perception:
    """The signals of one case."""

    def __init__(
        self,
        inputs: CaseInputs,
        seats: Seats,
        store: Store,
        instruments: Loaded | None,
        watch: Watch | None = None,
        scratch: Scratch | None = None,
        spilled: Collection[SignalUse] = (),
        together: Together | None = None,
        unanswered: Mapping[SignalUse, WorldGaugeError] | None = None,
    ) -> None:
        """Without `instruments` nothing is computed: what is not in the store raises `NotStored`.

        Signals in `spilled` are looked for in the scratch and left there for a later pass. `together` is what the
        perceptions of one clip for several benchmarks share. With `unanswered` nobody is asked either: that was done
        before, and this is why there is no answer.
        """
        self._unanswered = unanswered
        self.counters: Counter[str] = Counter()
        self.seconds: dict[str, float] = {}
        """Time spent computing, by signal."""
        self.costs: dict[str, float] = {}
        """The same on a machine with a processor to spare."""
        self.stored = 0
        """Bytes brought to the store."""
        self.inputs = inputs
        self._seats = seats
        self._store = store
        self._instruments = instruments
        self._watch = watch
        self._scratch = scratch or Scratch(store.root / SCRATCH)
        self._spilled = spilled
        self._together = together or Together()
        self._streamed = Elapsed()
        """Spent below a signal while it was at work."""
        self._identities: dict[SignalUse, dict[str, Any]] = {}
        self._keys: dict[SignalUse, str] = {}
        self._values: dict[SignalUse, Any] = {}
        """What was computed or raised."""

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
                "needs": [self.key(need) for need in inherited(use, self._seats)],
            }
            if use.frames.phase is not None:
                identity["phases"] = self.inputs.digest("phases")
            if signal.seat is not None:
                instrument = self._seats.instrument(use.signal)
                if instrument is None:
                    raise Unavailable(self._seats.reason_empty(use.signal) or "")
                identity["instrument"] = instrument.identity()
            self._identities[use] = identity | signal.prompt_digests() | code_of_signal(use, self._seats)
        return self._identities[use]

    def to_compute(self, uses: Iterable[SignalUse]) -> list[SignalUse]:
        """Which signals, with those below them, are neither stored nor in memory; needs first."""
        found: dict[SignalUse, None] = {}
        for use in uses:
            self._visit(use, found)
        return list(found)

    def expected(self, use: SignalUse) -> Mapping[str, Expected]:
        """What asking would take, by the keys of the answers. Nobody is asked and nothing is decoded."""
        signal, instrument = SIGNALS.get(use.signal), self._seats.instrument(use.signal)
        if not isinstance(instrument, AskedInstrument):
            return {}
        parts = [self._read(part, use) for part in signal.reads]
        # What it needs is not there yet: the function tells what it would ask whatever that says.
        parts += [self._stored(need) for need in inherited(use, self._seats)]
        try:
            with preserved_state(f"signal '{signal.name}'"):
                signal.function(*parts, instrument.estimator(), **dict(use.parameters))
        except Estimated as found:
            return found.questions
        except Outcome:
            # Told by the record: the clip cannot be looked at.
            pass
        return {}

    def _stored(self, use: SignalUse) -> Any:
        """A signal's value where it lies in the store; else None."""
        entry = self._store.load(self.key(use), self._only_of(use)) if self._is_stored(use) else None
        return entry.arrays if entry is not None and entry.unscored is None else None

    def count_stored(self, uses: Iterable[SignalUse]) -> int:
        """How many of these signals are in the store."""
        return sum(SIGNALS.get(use.signal).kept and self._is_stored(use) for use in uses)

    def _is_stored(self, use: SignalUse) -> bool:
        return self._store.has(self.key(use), self._only_of(use))

    def _only_of(self, use: SignalUse) -> str:
        """The kind of device a stored value must come from; empty where any will do."""
        return self._store.device if self._store.exact and self._asks_networks(use) else ""

    def _asks_networks(self, use: SignalUse) -> bool:
        """Whether a signal, or one below it, asks what computes on the chosen device."""
        instrument = self._seats.instrument(use.signal)
        below = inherited(use, self._seats)
        return bool(instrument is not None and instrument.weights) or any(map(self._asks_networks, below))

    def announce(self, uses: Iterable[SignalUse], metrics: Iterable[Metric] = ()) -> None:
        """Tell what will be asked for: one decode then serves all, and rows with one reader need not be held."""
        for metric in metrics:
            for need in metric.needs:
                self._together.will_read(self.key(need), (id(self), metric.name))
        for use in uses:
            if use in self._spilled:
                self._together.will_read(self.key(use), (id(self), "a later pass"))
            for need in inherited(use, self._seats):
                self._together.will_read(self.key(need), self.key(use))
            for part in SIGNALS.get(use.signal).reads:
                source = self._source(part, use)
                if source in ("video", "reference"):
                    self.inputs.clip(source).expect(use.frames)

    def value(self, use: SignalUse) -> Any:
        """The signal's value, read-only: arrays, or stacks of rows to go through. What it raised once it raises again,
        without computing anew."""
        if use not in self._values:
            try:
                found = freeze(self._obtain(use))
            except StopsRun:
                raise
            except Unscored as outcome:
                found = blamed(outcome, use)
            except Exception as error:  # noqa: BLE001  kept and raised again for every metric that asks
                found = error
            if isinstance(found, Passing):
                return found
            self._values[use] = found
            self._let_go_of_needs(use)
        value = self._values[use]
        if isinstance(value, Exception):
            raise value
        return handed_out(value)

    def perceive(self, uses: Iterable[SignalUse]) -> None:
        """Compute these signals. What goes wrong is remembered and told by the metrics that need them."""
        for use in uses:
            try:
                self.value(use)
            except StopsRun:
                raise
            except Exception as error:  # noqa: BLE001  the metrics that ask for the signal make the record
                log.debug("case %s, %s: %s", self.inputs.case.id, use.describe(), error)

    def serve_readers(self, need: SignalUse, uses: Iterable[SignalUse]) -> None:
        """Compute now what else of these signals reads a value that `need` rests on and that may not wait for a later
        pass, and let that value go."""
        heavy = {one for one in inherited(need, self._seats) if not SIGNALS.get(one.signal).waits}
        if not heavy:
            return
        readers = [use for use in uses if heavy.intersection(inherited(use, self._seats))]
        self.perceive(use for use in readers if SIGNALS.get(use.signal).kept and not SIGNALS.get(use.signal).is_asked)
        for one in heavy & self._values.keys():
            self._together.values.pop(self.key(one), None)
            del self._values[one]

    def _let_go_of_needs(self, use: SignalUse) -> None:
        """Dense rows, half a gigabyte for a short clip, are not held beyond their last reader."""
        for need in inherited(use, self._seats):
            dense = SIGNALS.get(need.signal).streams or not SIGNALS.get(need.signal).waits
            if dense and self._together.has_read(self.key(need), self.key(use)):
                self._values.pop(need, None)

    def drop_spilled(self) -> None:
        """Remove what waited for this pass, the last one of the case."""
        with contextlib.suppress(WorldGaugeError, OSError):
            self._scratch.drop([self.key(use) for use in self._spilled])

    def _visit(self, use: SignalUse, found: dict[SignalUse, None]) -> None:
        # A method: a nested function that calls itself would keep the clips until the garbage collector comes by.
        if use in found or use in self._values:
            return
        if SIGNALS.get(use.signal).kept and self._is_stored(use):
            return
        if use in self._spilled and self._scratch.has(self.key(use)):
            return
        for need in inherited(use, self._seats):
            self._visit(need, found)
        found[use] = None

    def _obtain(self, use: SignalUse) -> Any:
        signal = SIGNALS.get(use.signal)
        if signal.kept:
            entry = self._store.load(self.key(use), self._only_of(use))
            if entry is not None:
                self.counters["signals_reused"] += 1
                if entry.unscored is not None:
                    raise Unscored(entry.unscored, code=entry.code)
                return entry.arrays
        if use in self._spilled and self._scratch.has(self.key(use)):
            waiting = self._scratch.load(self.key(use))
            return Held(arrays=waiting) if signal.streams else waiting
        if self._instruments is None:
            raise NotStored(f"signal {use.describe()} is not in the store", "run 'worldgauge run' first")
        if signal.is_asked and self._unanswered is not None:
            raise self._unanswered.get(use) or Unavailable("the judge was not asked", "run the same command again")
        if self._watch is not None:
            refuse_too_large(use, self._values, self.inputs, self._seats, self._watch.limits)
        if not signal.kept and self.key(use) in self._together.values:
            self.counters["signals_shared"] += 1
            shared = self._together.values[self.key(use)]
            self._spill(use, shared)
            return shared
        call = self._call(use, signal)
        if signal.streams and self._together.readers(self.key(use)) == 1 and use not in self._spilled:
            return Passing(call, partial(self._count_streamed, use), use)
        started, self._streamed = Moment.now(), Elapsed()
        try:
            found = self._watched(use, (lambda: self._scratch.hold(call())) if signal.streams else call)
        except Unscored as outcome:
            self._keep(use, {}, started, outcome)
            raise
        self._keep(use, found, started)
        self._spill(use, found)
        if not signal.kept:
            self._together.values[self.key(use)] = freeze(found)
        return found

    def _spill(self, use: SignalUse, found: Any) -> None:
        """Leave a value for a later pass that asks for it."""
        if use in self._spilled:
            self._scratch.save(self.key(use), found.arrays if isinstance(found, Held) else found)

    def _call(self, use: SignalUse, signal: Signal) -> Callable[[], Any]:
        """The signal's function with all it is handed."""
        assert self._instruments is not None
        arguments: list[Any] = [self._read(part, use) for part in signal.reads]
        for need in inherited(use, self._seats):
            try:
                arguments.append(self.value(need))
            except Unscored as outcome:
                if signal.tolerant:
                    arguments.append(None)
                    continue
                # A need that is not kept leaves no other trace of what it found out.
                if not SIGNALS.get(need.signal).kept:
                    self._keep(use, {}, Moment.now(), outcome)
                raise
        if signal.seat is not None:
            arguments.append(self._watched(use, partial(self._instruments.get, use.signal), loading=True))
        return partial(signal.function, *arguments, **dict(use.parameters))

    def _count_streamed(self, use: SignalUse, took: Elapsed) -> None:
        """Note rows that went straight to the one signal that reads them."""
        self._streamed = self._streamed.plus(took)
        self._count(use, took)

    def _keep(self, use: SignalUse, arrays: Arrays, started: Moment, unscored: Unscored | None = None) -> None:
        took = Elapsed.since(started).minus(self._streamed)
        self._streamed = Elapsed()
        self._count(use, took)
        if SIGNALS.get(use.signal).kept:
            device = self._store.device if self._asks_networks(use) else cpu_kind()
            meta = {"signal": use.signal, "identity": self.identity(use), "seconds": took.wall, "device": device}
            if unscored is not None:
                meta |= {"unscored": str(unscored)} | ({"code": unscored.code} if unscored.code else {})
            self._store.save(self.key(use), arrays, meta)
            with contextlib.suppress(OSError):
                # Somebody may clear the store meanwhile.
                self.stored += self._store.path(self.key(use)).stat().st_size

    def _count(self, use: SignalUse, took: Elapsed) -> None:
        self.counters["signals_computed"] += 1
        self.counters[f"computed:{use.signal}"] += 1
        self.seconds[use.signal] = self.seconds.get(use.signal, 0.0) + took.wall
        self.costs[use.signal] = self.costs.get(use.signal, 0.0) + took.cost

    def _read(self, part: str, use: SignalUse) -> Any:
        value = self.inputs.value(self._source(part, use))
        return value.under(use.frames) if isinstance(value, Clip) else handed_out(freeze(value))

    def _watched(self, use: SignalUse, function: Callable[[], Any], loading: bool = False) -> Any:
        if self._watch is None:
            return function()
        return self._watch.call(use, partial(who_computes, use, self._seats), function, loading)

    @staticmethod
    def _source(part: str, use: SignalUse) -> str:
        return use.of if part == "video" else part
