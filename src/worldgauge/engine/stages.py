"""Stages: the order in which signals are perceived so that at most one network is resident at a time."""

from __future__ import annotations

from dataclasses import dataclass

from worldgauge.core.signal import SIGNALS, SignalUse, inherited
from worldgauge.engine.definitions import Definition, Seats, all_uses


@dataclass(frozen=True)
class Stages:
    """Stage 0 holds everything without weights; then one stage per network, in the order they build on each other."""

    networks: tuple[str, ...]
    """Seats whose instrument has weights, in order; network k is stage k + 1."""
    seats: tuple[str, ...]
    """Every seat that is used."""
    of_use: dict[SignalUse, int]
    of_metric: dict[str, int]
    """Metric id to the stage after which it can be computed."""

    @property
    def count(self) -> int:
        return len(self.networks) + 1

    @classmethod
    def of(cls, definitions: list[Definition], seats: Seats) -> Stages:
        uses = list(dict.fromkeys(use for d in definitions for use in all_uses(d.metric)))
        level: dict[SignalUse, int] = {}
        seat_level: dict[str, int] = {}
        for use in uses:
            below = max((level[need] for need in inherited(use)), default=0)
            seat = _network_seat(use, seats)
            level[use] = below + 1 if seat else below
            if seat:
                seat_level[seat] = max(seat_level.get(seat, 0), level[use])
        networks = tuple(sorted(seat_level, key=lambda seat: (seat_level[seat], seat)))
        stage: dict[SignalUse, int] = {}
        for use in uses:
            seat = _network_seat(use, seats)
            own = networks.index(seat) + 1 if seat else 0
            stage[use] = max([own, *(stage[need] for need in inherited(use))])
        of_metric = {d.id: max((stage[use] for use in d.metric.needs), default=0) for d in definitions}
        used = tuple(sorted({seat for use in uses if (seat := SIGNALS.get(use.signal).seat)}))
        return cls(networks, used, stage, of_metric)


def _network_seat(use: SignalUse, seats: Seats) -> str | None:
    seat = SIGNALS.get(use.signal).seat
    instrument = seats.instruments.get(seat) if seat else None
    return seat if instrument is not None and instrument.weights else None
