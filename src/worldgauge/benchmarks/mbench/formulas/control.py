"""How a camera follows its instructions: how much of them, how late, the wrong way, and whether it stops early."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.mbench.formulas.action import twists

Floats = NDArray[np.float64]
SLOW = 0.05
"""Of the camera's usual speed; slower is no motion."""
CHANCE = 5.0
"""A way of so many times what aimless motion of the same unrest would go by chance shows no purpose yet."""
LEAST_WAY = 0.035
"""Radians (2 degrees) or scene depths; a camera that goes less far than that along a leg has not set out on it."""
_MEDIAN_SQUARE = 0.4549
"""Median of the square of a normal number."""


@dataclass(frozen=True)
class Control:
    """Shares of the steps that ask for a motion, and times as shares of the clip."""

    executed: float
    """Steps that go the way asked for, less those that go the opposite way; 0 where these are more."""
    wrong: float
    """Steps that go the opposite way."""
    lag: float
    """How much later the motion comes than asked for."""
    stops_early: float
    """How long before the last motion asked for the camera has moved for the last time."""


def window_of(steps: int, seconds: float) -> int:
    """Steps of half a second of a clip that has so many steps and was requested to last so many seconds.

    >>> window_of(400, 25.0), window_of(10, 25.0)
    (8, 1)
    """
    return max(1, round(0.5 * steps / seconds))


def smoothed_twists(poses: Floats, ideal: Floats, window: int) -> Floats:
    """The camera's twist at each step (N-1, 6), as the mean of its `window`, from poses (N, 4, 4).

    Windows do not cross from one leg of the script into the next, so the turn between two legs stays sharp. What jitter
    of the poses adds to a step falls with the length of the window, what the camera does stays.

    >>> turned = np.tile(np.eye(4), (5, 1, 1))
    >>> smoothed_twists(turned, np.ones((4, 6)), 2).shape
    (4, 6)
    """
    smooth = np.zeros((len(ideal), 6))
    for first, end in legs_in(ideal):
        ends = np.linspace(first, end, max(1, round((end - first) / window)) + 1).round().astype(int)
        counts = np.diff(ends)
        smooth[first:end] = np.repeat(twists(poses[ends]) / counts[:, None], counts, axis=0)
    return smooth


def legs_in(ideal: Floats) -> Iterator[tuple[int, int]]:
    """First step and end of each stretch with one instruction.

    >>> list(legs_in(np.array([[1.0], [1.0], [0.0], [-1.0]])))
    [(0, 2), (2, 3), (3, 4)]
    """
    starts = [0, *(np.flatnonzero((ideal[1:] != ideal[:-1]).any(axis=1)) + 1).tolist(), len(ideal)]
    yield from ((first, end) for first, end in pairwise(starts) if end > first)


def purpose(found: Floats, ideal: Floats, window: int) -> float:
    """How far a camera's way in the requested directions is beyond chance, 0 to 1, from its twists (N-1, 6).

    The unrest of a clip is in the second differences of its motion over half a window, which leave out what is steady
    and what sets out or slows down evenly. Motion of that unrest without any aim would go about `unrest * sqrt(steps)`
    by chance. Up to `CHANCE` times that is no purpose, and what goes less far than `LEAST_WAY` along every leg counts
    in proportion.

    Source: this package.

    >>> asked = np.repeat([[0.0, 0, 0, 0, -1, 0], [0, 0, 0, 0, 1, 0]], 10, axis=0)
    >>> steady, jitter = asked / 100, np.where(np.arange(20) % 2, 1e-3, -1e-3)[:, None] * asked
    >>> round(purpose(steady, asked, 2), 6), purpose(jitter, asked, 2), purpose(-steady, asked, 2)
    (1.0, 0.0, 0.0)
    """
    net, farthest, steps = 0.0, 0.0, 0
    unrest = []
    for first, end in legs_in(ideal):
        if not ideal[first].any():
            continue
        way = np.concatenate([[0.0], np.cumsum((found[first:end] * ideal[first:end]).sum(axis=1))])
        net, farthest, steps = net + way[-1], max(farthest, way[-1]), steps + end - first
        apart = max(1, min(window // 2, (end - first) // 8))
        if end - first >= 3 * apart:
            motion = way[apart:] - way[:-apart]
            bends = motion[2 * apart :] - 2 * motion[apart:-apart] + motion[: -2 * apart]
            unrest.append(bends**2 / (6 * apart))
    if net <= 0 or not unrest:
        return 0.0
    chance = CHANCE * np.sqrt(np.median(np.concatenate(unrest)) / _MEDIAN_SQUARE * steps)
    return float(max(0.0, 1.0 - (chance / net) ** 2) * min(1.0, farthest / LEAST_WAY))


def control_of(found: Floats, ideal: Floats, *, least: float = 1e-6) -> Control:
    """From the camera's twists (N-1, 6) and the ideal ones. A camera slower than `least` per step does not move.

    Source: MBench, 6 (delayed response, ignored part, early stop, wrong direction).

    >>> asked = np.repeat([[0.0, 0, 0, 0, -1, 0], [0, 0, 0, 0, 1, 0]], 10, axis=0)
    >>> control_of(asked / 50, asked).executed, control_of(-asked, asked).wrong
    (1.0, 1.0)
    >>> control_of(np.roll(asked, 3, axis=0), asked).lag
    0.15
    """
    moves = np.linalg.norm(ideal, axis=1) > 0
    axis = ideal[moves][0]
    along, asked = found @ axis, ideal @ axis
    usual = float(np.percentile(np.abs(along), 90))
    if usual < least:
        return Control(0.0, 0.0, 0.0, 1.0)
    rate = along / usual
    right, opposite = (rate * asked > SLOW)[moves].mean(), (rate * asked < -SLOW)[moves].mean()
    steps = len(along)
    fits = [float((rate[k:] * asked[: steps - k]).sum()) for k in range(steps // 3 + 1)]
    last_asked, last_moved = np.flatnonzero(moves)[-1], np.flatnonzero(np.abs(rate) > SLOW)[-1]
    early = max(0, int(last_asked - last_moved)) / steps
    return Control(float(max(0.0, right - opposite)), float(opposite), int(np.argmax(fits)) / steps, early)


def way_along(steps: Floats, axis: Floats) -> Floats:
    """How far a camera has come along an axis after each of its twists (N-1, 6), (N,): degrees, or scene depths.

    >>> way_along(np.array([[0.0, 0, 0, 0, np.pi / 2, 0]] * 2), np.eye(6)[4]).tolist()
    [0.0, 90.0, 180.0]
    """
    way = np.concatenate([[0.0], np.cumsum(steps @ axis)])
    return np.degrees(way) if axis[3:].any() else way


def ideal_way(ideal: Floats, axis: Floats, reach: float) -> Floats:
    """The way along an axis that ideal twists (N-1, 6) ask for, at one speed, (N,); its farthest point is at `reach`.

    >>> asked = np.repeat([[0.0, 0, 0, 0, -1, 0], [0, 0, 0, 0, 1, 0]], 2, axis=0)
    >>> ideal_way(asked, np.eye(6)[4], 40.0).tolist()
    [0.0, -20.0, -40.0, -20.0, 0.0]
    """
    way = np.concatenate([[0.0], np.cumsum(ideal @ axis)])
    return np.asarray(way * reach / max(float(np.abs(way).max()), 1e-12))
