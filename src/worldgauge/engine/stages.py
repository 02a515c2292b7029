"""Passes over the clips: networks are resident together as far as memory allows, each after those it builds on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
        return joint_stages([(definitions, seats)], budget)[0]


def joint_stages(parts: Sequence[tuple[Iterable[Definition], Seats]], budget: float | None = None) -> list[Stages]:
    """The passes of several benchmarks over the same clips, for each of them; the networks of a pass are those of all.

    A network that several of them ask is one object, and in one pass for all. What a judge is asked is in the last.
    """
    listed = [list(definitions) for definitions, _ in parts]
    chosen = [seats for _, seats in parts]
    below = [(k, d, use) for k, own in enumerate(listed) for d in own for use in all_uses(d.metric, chosen[k])]
    nodes = list(dict.fromkeys((k, use) for k, _, use in below))
    asked = {(k, use) for k, d, use in below if not d.unavailable}
    needs = {(k, use): [(k, need) for need in inherited(use, chosen[k])] for k, use in nodes}
    network = {node: _network(node[1], chosen[node[0]]) if node in asked else None for node in nodes}
    packed = _packed(nodes, needs, network, budget)
    waited = {node for node in asked if SIGNALS.get(node[1].signal).is_asked}
    last = max(packed.values(), default=0) + 1
    stage: dict[_Node, int] = {}
    for node in nodes:
        one = network[node]
        own = last if node in waited else packed[id(one)] if one is not None else 0
        stage[node] = max([own, *(stage[need] for need in needs[node])])
    _bring_together([node for node in nodes if node in asked], needs, stage)
    _postpone(nodes, needs, network, stage, listed)
    passes: list[dict[int, Instrument]] = [{} for _ in range(max(stage.values(), default=0) + 1)]
    for node, one in network.items():
        if one is not None:
            passes[stage[node]][id(one)] = one
    networks = tuple(tuple(one.values()) for one in passes)
    asking = [last if any(k == part for k, _ in waited) else None for part in range(len(listed))]
    return [_of_part(k, own, needs, stage, networks, asking[k]) for k, own in enumerate(listed)]


_Node = tuple[int, SignalUse]
"""A signal of one of the benchmarks."""


_Needs = Mapping[_Node, list[_Node]]
"""Each signal to those it needs; the keys are in an order in which needs come first."""


def _of_part(
    part: int,
    definitions: list[Definition],
    needs: _Needs,
    stage: Mapping[_Node, int],
    networks: tuple[tuple[Instrument, ...], ...],
    asking: int | None,
) -> Stages:
    of_use = {use: stage[k, use] for k, use in needs if k == part}
    of_metric = {d.id: max((of_use[use] for use in d.metric.needs), default=0) for d in definitions}
    spilled = {need for use in of_use for _, need in needs[part, use] if not _kept(need) and of_use[need] < of_use[use]}
    spilled |= {
        need for d in definitions for need in d.metric.needs if not _kept(need) and of_use[need] < of_metric[d.id]
    }
    return Stages(networks, of_use, of_metric, frozenset(spilled), asking)


def _packed(
    nodes: list[_Node], needs: _Needs, network: Mapping[_Node, Instrument | None], budget: float | None
) -> dict[int, int]:
    """The pass of each network: the first with room, not before those it builds on; the larger ones first."""
    level: dict[_Node, int] = {}
    below: dict[_Node, set[int]] = {}
    found: dict[int, Instrument] = {}
    height: dict[int, int] = {}
    rests_on: dict[int, set[int]] = {}
    for node in nodes:
        own, one = needs[node], network[node]
        level[node] = max((level[need] for need in own), default=0) + (one is not None)
        below[node] = set[int]().union(*(below[need] for need in own))
        if one is not None:
            found[id(one)] = one
            height[id(one)] = max(height.get(id(one), 0), level[node])
            rests_on.setdefault(id(one), set()).update(below[node] - {id(one)})
            below[node].add(id(one))
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


def _bring_together(nodes: list[_Node], needs: _Needs, stage: dict[_Node, int]) -> None:
    """Move what may not wait in a scratch file, and all that reads it, to the last pass that reads it."""
    heavy = [node for node in nodes if not SIGNALS.get(node[1].signal).waits]
    before: dict[_Node, int] = {}
    while heavy and stage != before:
        before = dict(stage)
        for node in heavy:
            stage[node] = max([stage[node], *(stage[reader] for reader in nodes if node in needs[reader])])
        for node in nodes:
            stage[node] = max([stage[node], *(stage[need] for need in needs[node])])


def _postpone(
    nodes: list[_Node],
    needs: _Needs,
    network: Mapping[_Node, Instrument | None],
    stage: dict[_Node, int],
    definitions: list[list[Definition]],
) -> None:
    """Move what needs no network and is not kept to the pass that asks for it first, so that it need not wait there."""
    asked: dict[_Node, list[int]] = {}
    for k, own in enumerate(definitions):
        for definition in own:
            done = max((stage[k, use] for use in definition.metric.needs), default=0)
            for need in definition.metric.needs:
                asked.setdefault((k, need), []).append(done)
    for node in reversed(nodes):
        if network[node] is None and not _kept(node[1]):
            stage[node] = max(stage[node], min(asked.get(node, [stage[node]])))
        for needed in needs[node]:
            asked.setdefault(needed, []).append(stage[node])


def _network(use: SignalUse, seats: Seats) -> Instrument | None:
    instrument = seats.instrument(use.signal)
    return instrument if instrument is not None and instrument.weights else None


def _kept(use: SignalUse) -> bool:
    return SIGNALS.get(use.signal).kept
