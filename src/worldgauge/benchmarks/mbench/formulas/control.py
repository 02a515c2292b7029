"""How a camera follows its instructions: how much of them, how late, the wrong way, and whether it stops early."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SLOW = 0.1
"""Of the camera's usual speed; slower is no motion."""


@dataclass(frozen=True)
class Control:
    """Shares of the steps that ask for a motion, and times as shares of the clip."""

    executed: float
    """Steps that go the way asked for."""
    wrong: float
    """Steps that go the opposite way."""
    lag: float
    """How much later the motion comes than asked for."""
    stops_early: float
    """How long before the last motion asked for the camera has moved for the last time."""


def control_of(found: Floats, ideal: Floats, *, least: float = 1e-4) -> Control:
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
    return Control(float(right), float(opposite), int(np.argmax(fits)) / steps, early)


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
