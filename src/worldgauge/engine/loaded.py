"""The instruments a worker holds ready: each loaded once per pass over the clips, and let go of at its end."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from worldgauge.core.errors import Unavailable
from worldgauge.core.instrument import Instrument
from worldgauge.engine.seats import Seats


class Loaded:
    """Instruments of a worker on its device."""

    def __init__(self, seats: Seats, device: str, largest: tuple[int, int] | None = None) -> None:
        """`largest` is the frame size on which an instrument is tried when it is loaded."""
        self._seats = seats
        self._device = device
        self._largest = largest
        self._ready: dict[int, Instrument] = {}
        self._loading = threading.RLock()

    def beside(self, seats: Seats) -> Loaded:
        """The same instruments, asked for by the signals of another benchmark."""
        other = Loaded(seats, self._device, self._largest)
        other._ready, other._loading = self._ready, self._loading
        return other

    def get(self, signal: str) -> Instrument:
        """What perceives for a signal, ready to be asked."""
        reason = self._seats.reason_empty(signal)
        instrument = self._seats.instrument(signal)
        if reason or instrument is None:
            raise Unavailable(reason or f"signal '{signal}' asks no instrument")
        with self._loading:
            if id(instrument) not in self._ready:
                instrument.load(self._device)
                if self._largest is not None:
                    instrument.try_out(*self._largest)
                self._ready[id(instrument)] = instrument
        return instrument

    def keep_only(self, networks: Iterable[Instrument] = ()) -> None:
        """Let go of every network but these; what has no weights takes no room and stays."""
        kept = {id(network) for network in networks}
        for number, instrument in list(self._ready.items()):
            if instrument.weights and number not in kept:
                del self._ready[number]
                instrument.release()

    def forget_case(self) -> None:
        """Drop what the instruments remember of a case's frames."""
        for instrument in list(self._ready.values()):
            instrument.forget()

    def busy_seconds(self) -> float:
        """How long a GPU computed for them since this was last asked."""
        return sum(instrument.busy_seconds() for instrument in list(self._ready.values()))
