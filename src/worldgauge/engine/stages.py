"""Passes over the clips: networks are resident together as far as memory allows, each after those it builds on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from worldgauge.core.instrument import Instrument
from worldgauge.core.signal import SIGNALS, SignalUse, inherited
from worldgauge.engine.definitions import Definition, Seats, all_uses


@dataclass(frozen=True)
class Stages:
    """One stage is one pass over the clips with the same networks resident. What has no weights is in any of them."""

    networks: tuple[tuple[Instrument, ...], ...]
    """Of each pass; a single pass without any where none is used."""
    of_use: Mapping[SignalUse, int]
    of_metric: Mapping[str, int]
    """Metric id to the pass after which it can be computed."""
    spilled: frozenset[SignalUse] = frozenset()
    """Signals that are not kept in the store and that a later pass needs: they wait in scratch files."""
    asking: int | None = None
    """The last pass, in which what rests on answers is computed; None where nobody is asked."""

    @property
    def count(self) -> int:
        return len(self.networks)

    def loaded_gigabytes(self, uses: Iterable[SignalUse]) -> float:
        """What the instruments of the fullest pass take that computes one of these signals."""
        visited = {self.of_use[use] for use in uses}
        return max((sum(one.memory for one in self.networks[k]) for k in visited), default=0.0)

    @classmethod
    def of(cls, definitions: Iterable[Definition], seats: Seats, budget: float | None = None) -> Stages:
        """`budget`: gigabytes for the networks of one pass; None: all fit. One that is larger than that is alone."""
        listed = list(definitions)
        uses = list(dict.fromkeys(use for d in listed for use in all_uses(d.metric)))
        asked = {use for d in listed if not d.unavailable for use in all_uses(d.metric)}
        network = {use: _network(use, seats) if use in asked else None for use in uses}
        packed = _packed(uses, network, budget)
        stage: dict[SignalUse, int] = {}
        waited = {use for use in asked if SIGNALS.get(use.signal).is_asked}
        last = max(packed.values(), default=0) + 1
        for use in uses:
            one = network[use]
            own = last if use in waited else packed[id(one)] if one is not None else 0
            stage[use] = max([own, *(stage[need] for need in inherited(use))])
        _postpone(uses, network, stage, listed)
        of_metric = {d.id: max((stage[use] for use in d.metric.needs), default=0) for d in listed}
        passes: list[dict[int, Instrument]] = [{} for _ in range(max(stage.values(), default=0) + 1)]
        for use, one in network.items():
            if one is not None:
                passes[stage[use]][id(one)] = one
        spilled = {need for use in uses for need in inherited(use) if not _kept(need) and stage[need] < stage[use]}
        spilled |= {
            need for d in listed for need in d.metric.needs if not _kept(need) and stage[need] < of_metric[d.id]
        }
        networks = tuple(tuple(one.values()) for one in passes)
        return cls(networks, stage, of_metric, frozenset(spilled), last if waited else None)


def _packed(
    uses: list[SignalUse], network: Mapping[SignalUse, Instrument | None], budget: float | None
) -> dict[int, int]:
    """The pass of each network: the first with room, not before those it builds on; the larger ones first."""
    level: dict[SignalUse, int] = {}
    below: dict[SignalUse, set[int]] = {}
    found: dict[int, Instrument] = {}
    height: dict[int, int] = {}
    rests_on: dict[int, set[int]] = {}
    for use in uses:
        needs, one = inherited(use), network[use]
        level[use] = max((level[need] for need in needs), default=0) + (one is not None)
        below[use] = set[int]().union(*(below[need] for need in needs))
        if one is not None:
            found[id(one)] = one
            height[id(one)] = max(height.get(id(one), 0), level[use])
            rests_on.setdefault(id(one), set()).update(below[use] - {id(one)})
            below[use].add(id(one))
    order = sorted(found, key=lambda number: (height[number], -found[number].memory, found[number].name))
    of_network: dict[int, int] = {}
    room: list[float] = []
    for number in order:
        earliest = max((of_network[other] for other in rests_on[number] if other in of_network), default=0)
        needed = found[number].memory
        chosen = next((k for k in range(earliest, len(room)) if budget is None or needed <= room[k]), len(room))
        if chosen == len(room):
            room.append(float("inf") if budget is None else budget)
        room[chosen] -= needed
        of_network[number] = chosen
    return of_network


def _postpone(
    uses: list[SignalUse],
    network: Mapping[SignalUse, Instrument | None],
    stage: dict[SignalUse, int],
    definitions: list[Definition],
) -> None:
    """Move what needs no network and is not kept to the pass that asks for it first, so that it need not wait there."""
    asked: dict[SignalUse, list[int]] = {}
    for definition in definitions:
        done = max((stage[use] for use in definition.metric.needs), default=0)
        for need in definition.metric.needs:
            asked.setdefault(need, []).append(done)
    for use in reversed(uses):
        if network[use] is None and not _kept(use):
            stage[use] = max(stage[use], min(asked.get(use, [stage[use]])))
        for need in inherited(use):
            asked.setdefault(need, []).append(stage[use])


def _network(use: SignalUse, seats: Seats) -> Instrument | None:
    instrument = seats.instrument(use.signal)
    return instrument if instrument is not None and instrument.weights else None


def _kept(use: SignalUse) -> bool:
    return SIGNALS.get(use.signal).kept
