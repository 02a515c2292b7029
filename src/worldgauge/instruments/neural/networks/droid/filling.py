"""Poses of all frames of a clip between keyframes that stay where they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from worldgauge.instruments.neural.networks.droid.adjustment import Solver
from worldgauge.instruments.neural.networks.droid.graph import Graph, Matcher
from worldgauge.instruments.neural.networks.droid.keyframes import AT_ONCE, Keyframes
from worldgauge.instruments.neural.networks.droid.motions import exp, inverse, log

UPDATES = 6
NO_TIME = 1e-3
"""Added to the time between two keyframes, so that it is never zero."""


class Filled(NamedTuple):
    """One row per frame of the clip."""

    poses: Tensor
    """(N, 4, 4) world-to-camera."""
    weights: Tensor
    """(N,): mean confidence of the network in the flow that placed the frame, 0 to 1."""
    misses: Tensor
    """(N,): median distance between prediction and flow, px of the feature map."""


def filled_in(keyframes: Keyframes, matcher: Matcher, count: int) -> Filled:
    """All frames of a clip, keyframes too."""
    parts = [
        _placed(keyframes, matcher, list(range(start, min(start + AT_ONCE, count))))
        for start in range(0, count, AT_ONCE)
    ]
    return Filled(*(torch.cat(column) for column in zip(*parts, strict=True)))


def between(poses: Tensor, times: Sequence[float], asked: Sequence[float]) -> tuple[Tensor, list[int], list[int]]:
    """Poses at the times asked for, at even speed between those of `times`, and the two neighbours of each."""
    before = [sum(time <= moment for time in times) - 1 for moment in asked]
    after = [min(k + 1, len(times) - 1) for k in before]
    spans = [times[j] - times[i] + NO_TIME for i, j in zip(before, after, strict=True)]
    shares = [(moment - times[i]) / span for moment, i, span in zip(asked, before, spans, strict=True)]
    way = log(poses[after] @ inverse(poses[before]))
    return exp(way * way.new_tensor(shares)[:, None]) @ poses[before], before, after


def _placed(keyframes: Keyframes, matcher: Matcher, frames: list[int]) -> Filled:
    """The poses of a few frames by the flow from the keyframes before and after each."""
    known, count = len(keyframes), len(frames)
    behind = range(known, known + count)
    start, before, after = between(keyframes.poses[:known], keyframes.times, [float(frame) for frame in frames])
    keyframes.poses[known : known + count] = start
    keyframes.frames += frames
    graph = Graph(keyframes, matcher, lasting=True)
    graph.add(zip(before, behind, strict=True))
    graph.add(zip(after, behind, strict=True))
    for _ in range(UPDATES):
        graph.update(Solver(), free=range(behind.start, behind.stop), depths=False)
    del keyframes.frames[known:]
    found = Filled(keyframes.poses[known : known + count].clone(), *_agreement(graph, behind))
    graph.remove(graph.sources >= 0)
    return found


def _agreement(graph: Graph, slots: range) -> tuple[Tensor, Tensor]:
    missed, valid = graph.misses()
    missed = torch.where(valid, missed, torch.nan)
    weights, misses = [], []
    for slot in slots:
        rows = graph.targets == slot
        weights.append(graph.weight[rows].mean())
        misses.append(missed[rows].nanmedian())
    return torch.stack(weights), torch.stack(misses)
