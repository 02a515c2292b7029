"""Edges between keyframes while they are worked on: the network corrects their flow, the adjustment follows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from worldgauge.instruments.neural.networks.correlation import pixel_grid
from worldgauge.instruments.neural.networks.droid.adjustment import Edges, Solver, adjust, adjust_motion
from worldgauge.instruments.neural.networks.droid.edge_rules import Edge, Nearness, near
from worldgauge.instruments.neural.networks.droid.keyframes import Keyframes
from worldgauge.instruments.neural.networks.droid.second_start import read_again

Numbers = NDArray[np.int64]
DAMPING, LEAST_DAMPING = 0.2, 1e-7
"""Share of the network's damping that the adjustment is given, and what is added to it."""
UNSURE = 1e-6
"""Damping of depths before the network has said anything."""
REMEMBERED = 3
"""Retired edges still count if both frames are no more than this many before the first free one."""


class Matcher(Protocol):
    """Says how the flow along edges is to be corrected. A network does; in tests also who knows the true flow."""

    def begin(self, sources: Numbers, targets: Numbers, lasting: bool) -> Tensor:
        """A state (E, ...) for new edges between these frames; `lasting`: they will be asked about often."""

    def kept(self, rows: Numbers) -> None:
        """Only these of the lasting edges remain."""

    def match(
        self, state: Tensor, sources: Numbers, targets: Numbers, rows: Numbers, places: Tensor, motion: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """State, correction (E, 2, h, w), weight (E, 2, h, w), and damping (M, h, w) of the source frames in their
        order. `rows` are the edges' numbers; `places` are where pixels are now predicted, `motion` how far that is from
        where they came from and from the flow so far."""


class Graph:
    """Edges in work, and retired ones that only hold the adjustment."""

    def __init__(self, keyframes: Keyframes, matcher: Matcher, most: int = -1, lasting: bool = False) -> None:
        """`most`: edges beyond which old ones may be retired."""
        self.keyframes, self.matcher = keyframes, matcher
        self.most, self.lasting = most, lasting
        height, width = keyframes.depths.shape[1:]
        none = keyframes.depths.new_zeros(0, 2, height, width)
        self.sources = self.targets = self.age = np.zeros(0, np.int64)
        self.flow, self.weight = none, none
        self.state: Tensor | None = None
        self.retired = Edges(self.sources, self.targets, none, none)
        self.damping = torch.full_like(keyframes.depths, UNSURE)

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def edges(self) -> Edges:
        """Those in work."""
        return Edges(self.sources, self.targets, self.flow, self.weight)

    def existing(self) -> list[Edge]:
        """All edges, retired ones last."""
        old = self.retired
        ends = (np.concatenate(pair) for pair in ((self.sources, old.sources), (self.targets, old.targets)))
        return [(int(i), int(j)) for i, j in zip(*ends, strict=True)]

    def add(self, edges: Iterable[Edge], retire: bool = False) -> None:
        """Take up edges that are not there yet; with `retire`, old ones make room for them."""
        there = set(self.existing())
        new = np.array([edge for edge in edges if edge not in there], np.int64).reshape(-1, 2)
        if not len(new):
            return
        if retire and len(self) and 0 < self.most < len(self) + len(new):
            # The authors compare the order by age, not the place in it. So it is left.
            self.remove(np.argsort(self.age, kind="stable") >= self.most - len(new), retire=True)
        sources, targets = new.T
        state = self.matcher.begin(self._frames(sources), self._frames(targets), self.lasting)
        flow, _ = self.keyframes.reproject(*self._on_device(sources, targets))
        self.sources, self.targets = np.concatenate((self.sources, sources)), np.concatenate((self.targets, targets))
        self.age = np.concatenate((self.age, np.zeros_like(sources)))
        self.flow, self.weight = torch.cat((self.flow, flow)), torch.cat((self.weight, torch.zeros_like(flow)))
        self.state = state if self.state is None else torch.cat((self.state, state))

    def add_near(
        self, nearness: Nearness, turning: float, rows_from: int = 0, from_: int = 0, retire: bool = False
    ) -> None:
        """Take up edges between frames that see nearly the same."""
        count = len(self.keyframes)
        rows, columns = np.mgrid[rows_from:count, from_:count]
        sources, targets = (torch.from_numpy(part.ravel()) for part in (rows, columns))
        distances = self.keyframes.distances(sources, targets, turning).numpy().astype(np.float64).reshape(rows.shape)
        self.add(near(distances, self.existing(), nearness, rows_from, from_), retire)

    def remove(self, chosen: NDArray[np.bool_], retire: bool = False) -> None:
        if not chosen.any():
            return
        gone, kept = np.flatnonzero(chosen), np.flatnonzero(~chosen)
        if retire:
            self.retired = _joined(self.retired, _rows(self.edges, gone))
        self.sources, self.targets, self.age = self.sources[kept], self.targets[kept], self.age[kept]
        self.flow, self.weight = self.flow[kept], self.weight[kept]
        self.state = None if self.state is None else self.state[kept]
        if self.lasting:
            self.matcher.kept(kept)

    def drop_keyframe(self, slot: int) -> None:
        """Forget a keyframe and all its edges."""
        self.keyframes.drop(slot)
        old = self.retired
        kept = np.flatnonzero((old.sources != slot) & (old.targets != slot))
        left = _rows(old, kept)
        sources, targets = (part - (part >= slot) for part in (left.sources, left.targets))
        self.retired = left._replace(sources=sources, targets=targets)
        self.remove((self.sources == slot) | (self.targets == slot))
        self.sources, self.targets = (part - (part >= slot) for part in (self.sources, self.targets))

    def update(
        self, solver: Solver, free: range | None = None, first: int | None = None, at_once: int = 0, depths: bool = True
    ) -> None:
        """One correction of the flow, then an adjustment.

        Free are the poses of `free`, else those from `first` on, and retired edges then count too; without `first`,
        from the one after the earliest source. `at_once`: edges shown to the network at a time, 0 for all of them.
        """
        keyframes = self.keyframes
        places, _ = keyframes.reproject(*self._on_device(self.sources, self.targets))
        motion = torch.cat((places - pixel_grid(places), self.flow - places), 1)
        flow, weight = torch.empty_like(self.flow), torch.empty_like(self.weight)
        assert self.state is not None
        for rows in self._stacks(at_once):
            frames = self._frames(self.sources[rows]), self._frames(self.targets[rows])
            state, delta, sure, damping = self.matcher.match(
                self.state[rows], *frames, rows, places[rows], motion[rows]
            )
            self.state[rows] = state
            flow[rows], weight[rows] = places[rows] + delta, sure
            self.damping[np.unique(self.sources[rows])] = damping
        self.flow, self.weight, self.age = flow, weight, self.age + 1
        edges = self.edges
        if free is None:
            first = max(1, int(self.sources.min()) + 1) if first is None else first
            edges = self._with_retired(first - REMEMBERED)
            free = range(first, int(max(edges.sources.max(), edges.targets.max())) + 1)
        self._adjust(edges, free, solver, depths)

    def misses(self) -> tuple[Tensor, Tensor]:
        """Distances (E, h, w) between prediction and flow, px, and whether a pixel counts."""
        places, valid = self.keyframes.reproject(*self._on_device(self.sources, self.targets))
        return (places - self.flow).norm(dim=1), valid

    def start_again(self, solver: Solver) -> bool:
        """Whether the other reading of the flow explains it better; the keyframes are then placed by it."""
        return read_again(self.keyframes, self.edges, self._damping(), solver)

    def _damping(self) -> Tensor:
        return DAMPING * self.damping + LEAST_DAMPING

    def _adjust(self, edges: Edges, free: range, solver: Solver, depths: bool) -> None:
        known = self.keyframes
        if depths:
            adjust(known.poses, known.depths, self._damping(), known.intrinsics, edges, free, solver)
        else:
            adjust_motion(known.poses, known.depths, known.intrinsics, edges, free, solver)
        known.keep_positive()

    def _with_retired(self, earliest: int) -> Edges:
        old = self.retired
        rows = np.flatnonzero((old.sources >= earliest) & (old.targets >= earliest))
        return _joined(_rows(old, rows), self.edges)

    def _stacks(self, at_once: int) -> Iterator[Numbers]:
        """Numbers of edges, all edges of a source frame together: they tell its damping."""
        if not at_once:
            yield np.arange(len(self))
            return
        order = np.argsort(self.sources, kind="stable")
        ends = [*np.flatnonzero(np.diff(self.sources[order])) + 1, len(order)]
        start = 0
        for this, after in zip(ends, [*ends[1:], None], strict=True):
            if after is None or after - start > at_once:
                yield order[start:this]
                start = this

    def _frames(self, slots: Numbers) -> Numbers:
        return np.array(self.keyframes.frames, np.int64)[slots]

    def _on_device(self, *numbers: Numbers) -> tuple[Tensor, ...]:
        return tuple(torch.from_numpy(part).to(self.flow.device) for part in numbers)


def _rows(edges: Edges, rows: Numbers) -> Edges:
    return Edges(edges.sources[rows], edges.targets[rows], edges.places[rows], edges.weights[rows])


def _joined(first: Edges, second: Edges) -> Edges:
    return Edges(
        np.concatenate((first.sources, second.sources)),
        np.concatenate((first.targets, second.targets)),
        torch.cat((first.places, second.places)),
        torch.cat((first.weights, second.weights)),
    )
