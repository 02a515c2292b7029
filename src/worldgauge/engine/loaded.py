"""The instruments a worker holds ready: each loaded once per pass over the clips, and let go of at its end."""

from __future__ import annotations

from collections.abc import Iterable

from worldgauge.core.errors import Unavailable
from worldgauge.core.instrument import Instrument
from worldgauge.engine.seats import Seats


class Loaded:
    """Instruments of a worker on its device."""

    def __init__(self, seats: Seats, device: str) -> None:
        self._seats = seats
        self._device = device
        self._ready: dict[int, Instrument] = {}

    def get(self, signal: str) -> Instrument:
        """What perceives for a signal, ready to be asked."""
        reason = self._seats.reason_empty(signal)
        instrument = self._seats.instrument(signal)
        if reason or instrument is None:
            raise Unavailable(reason or f"signal '{signal}' asks no instrument")
        if id(instrument) not in self._ready:
            instrument.load(self._device)
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
        for instrument in self._ready.values():
            instrument.forget()
