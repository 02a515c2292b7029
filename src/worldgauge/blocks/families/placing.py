"""Placing props around the stage without overlaps and without blocking the observer's way."""

from __future__ import annotations

from collections.abc import Sequence

from worldgauge.blocks.props import Prop
from worldgauge.blocks.scene import SceneBuilder

Zone = tuple[float, float, float, float, float]
"""x0, x1, y0, y1 in units, and the yaw in degrees that faces the stage from there."""


def scatter(
    b: SceneBuilder, unit: float, zones: Sequence[Zone], props: Sequence[Prop], count: int, gap: float = 1.5
) -> None:
    """Draw `count` props, `gap` units apart; the zones take turns so that every side of the stage gets some."""
    taken: list[tuple[float, float]] = []
    bag: list[int] = []
    for k in range(count):
        x0, x1, y0, y1, yaw = zones[k % len(zones)]
        if not bag:
            bag = b.rng.permutation(len(props)).tolist()
        for _ in range(30):
            x, y = b.rng.uniform(x0, x1), b.rng.uniform(y0, y1)
            if all((x - u) ** 2 + (y - v) ** 2 >= gap**2 for u, v in taken):
                taken.append((x, y))
                props[bag.pop()](b, x * unit, y * unit, yaw + b.rng.uniform(-12, 12), unit)
                break
