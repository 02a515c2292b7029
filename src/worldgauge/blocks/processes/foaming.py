"""A head of foam on a glass of soda settles while its bubbles burst."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from worldgauge.blocks import palette, shapes
from worldgauge.blocks.processes.base import Act, Affine, Floats, Kit, Mover, Words, scale_about, shift
from worldgauge.blocks.scene import Look

_Share = Callable[[float], float]
DECAY = 0.45
"""Time in which the head falls to 1/e, in durations of the clip."""
BUBBLES = 26
FROTH = (0.96, 0.95, 0.90)


def build(kit: Kit) -> Act:
    name, colour = kit.colour("yellow", "orange", "red", "purple", "green")
    u, b, rng = kit.unit, kit.b, kit.rng
    target = b.instance(f"glass of {name} soda", "target")
    steel = Look("plain", palette.STEEL, shine=0.8)
    foot, level, rim, radius = 0.1 * u, 0.62 * u, 1.3 * u, 0.42 * u
    b.add(target, shapes.cylinder(0.5 * u, foot, 24), steel, (0, 0, foot / 2))
    drink = shapes.cylinder(radius, level - foot, 28)
    b.add(target, drink, Look("blotches", colour, 0.6 * u, 0.8), (0, 0, (level + foot) / 2))
    for angle in np.radians([45, 135, 225, 315]):
        at = (1.06 * radius * float(np.cos(angle)), 1.06 * radius * float(np.sin(angle)), rim / 2)
        b.add(target, shapes.cylinder(0.025 * u, rim, 8), steel, at)
    head = rim - level + 0.05 * u
    foam = b.add(
        target, shapes.cylinder(0.99 * radius, head, 28), Look("speckle", FROTH, 0.35 * u), (0, 0, level + head / 2)
    )

    def left(t: float) -> float:
        """Share of the head that is left."""
        return float(np.exp(-t / (DECAY * kit.duration)))

    movers = [Mover((foam,), lambda t: scale_about((0, 0, level), 1, 1, left(t)))]
    surface = level + head
    for _ in range(BUBBLES):
        away, angle = radius * 0.85 * float(np.sqrt(rng.uniform())), rng.uniform(0, 2 * np.pi)
        x, y = away * float(np.cos(angle)), away * float(np.sin(angle))
        size = float(rng.uniform(0.05, 0.13)) * u
        ball = b.add(target, shapes.sphere(size, 12), Look("plain", FROTH, shine=0.6), (x, y, surface))
        # Bubbles burst as the head does: evenly over what is lost.
        bursts = float(rng.uniform(0.05, 1.0))
        movers.append(Mover((ball,), _bubble((x, y, surface), head, bursts, left)))
    words = Words(
        f"the head of foam on the {target.name} begins to settle",
        f"the foam on the {target.name} keeps settling and its bubbles burst",
        f"the {target.name} has only a thin layer of foam left",
        f"the head of foam on the {target.name} is as high as at the beginning",
        "the foam only gets lower while the soda stays where it is",
        "the head of foam grows",
    )
    return Act(target, (0, 0, 0.75 * u), words, ("gravity",), progress=lambda t: 1 - left(t), change="settled",
               movers=tuple(movers))  # fmt: skip


def _bubble(at: tuple[float, float, float], head: float, bursts: float, left: _Share) -> Affine:
    """Sinks with the surface, and is gone once that share of the head is lost."""

    def where(t: float) -> Floats:
        lost = 1 - left(t)
        size = min(max((bursts - lost) / 0.05, 0.0), 1.0)
        return np.asarray(shift(z=-head * lost) @ scale_about(at, size, size, size))

    return where
