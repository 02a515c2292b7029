"""The whole tracker: frames come one by one, a window of keyframes follows, everything is adjusted at the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from worldgauge.instruments.neural.networks.droid.adjustment import Solver
from worldgauge.instruments.neural.networks.droid.edge_rules import Nearness, neighbours
from worldgauge.instruments.neural.networks.droid.filling import Filled, filled_in
from worldgauge.instruments.neural.networks.droid.graph import Graph, Matcher
from worldgauge.instruments.neural.networks.droid.keyframes import Encoded, Keyframes

EDGES_AT_ONCE = 64
"""Shown to the network at a time in the adjustment of everything."""
FIRST_UPDATES, UPDATES, LAST_UPDATES = 8, 4, 2
GLOBAL_UPDATES = (7, 12)
OLDEST = 25
"""Updates after which an edge is retired."""
ROWS = 5
"""Newest keyframes that get new edges."""
GLOBAL_SOLVER = Solver(relative=1e-5, absolute=1e-2)
FIRST_TURNING = 0.25
"""Weight of turns in distances while the first keyframes are joined."""


@dataclass(frozen=True)
class Rules:
    """Settings of the tracker; lengths are px of the feature map."""

    filter_threshold: float = 2.4
    """A frame that moved less since the last one taken is no keyframe."""
    keyframe_threshold: float = 4.0
    """A keyframe nearer than this to the one before it is dropped again."""
    warm_up: int = 8
    """Keyframes that are joined first."""
    turning: float = 0.3
    """Weight of the whole flow in distances; the rest is that of translation alone."""
    window: int = 25
    """Newest keyframes that new edges may lead to."""
    near: Nearness = field(default_factory=lambda: Nearness(threshold=16.0, radius=2, spacing=1, most=48))
    near_global: Nearness = field(default_factory=lambda: Nearness(threshold=22.0, radius=2, spacing=3, most=16))
    """`most` counts per keyframe."""
    second_start: bool = False
    """Whether the adjustment of everything also tries the other reading of the flow; the authors do not."""


class Movement(Matcher, Protocol):
    """A matcher that also tells how far the picture moved."""

    def movement(self, before: int, after: int) -> float: ...


class Tracked(NamedTuple):
    """What a clip of N frames gave."""

    filled: Filled
    """Poses of all frames."""
    keyframes: list[int]
    pairs: NDArray[np.int64]
    """(E, 2): frames of each edge of the last adjustment of everything."""
    errors: Tensor
    """(E,): sum of the distances between prediction and flow, px of the feature map."""
    points: Tensor
    """(E,): how many points that is."""


class Tracker:
    """One clip; a new one for each."""

    def __init__(self, encoded: Encoded, intrinsics: Tensor, matcher: Movement, rules: Rules) -> None:
        self.rules, self.matcher = rules, matcher
        self.keyframes = Keyframes(encoded, intrinsics)
        self.graph = Graph(self.keyframes, matcher, rules.near.most, lasting=True)
        self.placed = 0
        """Keyframes that the window has taken up."""
        self.last_taken = 0
        """The frame that movement is measured from; it may be dropped as a keyframe later."""

    def track(self, frame: int) -> None:
        """Take the next frame of the clip."""
        known = self.keyframes
        if len(known) and not self.matcher.movement(self.last_taken, frame) > self.rules.filter_threshold:
            return
        self.last_taken = frame
        known.append(frame)
        if self.placed:
            self._follow()
        elif len(known) == self.rules.warm_up:
            self._begin()

    def finish(self, count: int) -> Tracked | None:
        """Adjust everything and place all frames of the clip; None where fewer than two of them differ."""
        if len(self.keyframes) < 2:
            return None
        self.graph.remove(np.ones(len(self.graph), bool))
        first, last = GLOBAL_UPDATES
        graph = self._adjust_everything(first)
        if self.rules.second_start:
            graph.start_again(GLOBAL_SOLVER)
        graph = self._adjust_everything(last)
        missed, valid = graph.misses()
        errors, points = (missed * valid).sum((1, 2), dtype=torch.float64), valid.sum((1, 2))
        numbers = np.array(self.keyframes.frames)
        pairs = np.stack((numbers[graph.sources], numbers[graph.targets]), 1)
        frames = list(self.keyframes.frames)
        return Tracked(filled_in(self.keyframes, self.matcher, count), frames, pairs, errors, points)

    def _begin(self) -> None:
        rules, known, graph = self.rules, self.keyframes, self.graph
        count = self.placed = len(known)
        graph.add(neighbours(0, count))
        for _ in range(FIRST_UPDATES):
            graph.update(Solver(), first=1)
        wider = Nearness(rules.near.threshold, radius=2, spacing=2, most=rules.near.most)
        graph.add_near(wider, FIRST_TURNING)
        for _ in range(FIRST_UPDATES):
            graph.update(Solver(), first=1)
        known.poses[count] = known.poses[count - 1]
        known.depths[count] = known.depths[count - 4 : count].mean()
        graph.remove(graph.sources < count - 4, retire=True)

    def _follow(self) -> None:
        """Take up the newest keyframe, and drop the one before it if that tells too little."""
        rules, known, graph = self.rules, self.keyframes, self.graph
        self.placed += 1
        graph.remove(graph.age > OLDEST, retire=True)
        oldest = max(self.placed - rules.window, 0)
        graph.add_near(rules.near, rules.turning, self.placed - ROWS, oldest, retire=True)
        for _ in range(UPDATES):
            graph.update(Solver())
        pair = torch.tensor([self.placed - 3]), torch.tensor([self.placed - 2])
        if float(known.distances(*pair, rules.turning)) < rules.keyframe_threshold:
            graph.drop_keyframe(self.placed - 2)
            self.placed -= 1
        else:
            for _ in range(LAST_UPDATES):
                graph.update(Solver())
        # A guess for the next one.
        known.poses[self.placed] = known.poses[self.placed - 1]
        known.depths[self.placed] = known.depths[self.placed - 1].mean()

    def _adjust_everything(self, updates: int) -> Graph:
        known, near = self.keyframes, self.rules.near_global
        known.normalise()
        graph = Graph(known, self.matcher)
        most = near.most * len(known)
        graph.add_near(Nearness(near.threshold, near.radius, near.spacing, most), self.rules.turning)
        for _ in range(updates):
            graph.update(GLOBAL_SOLVER, free=range(1, len(known)), at_once=EDGES_AT_ONCE)
        return graph
