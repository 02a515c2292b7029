"""A sheet of blotting paper stands in a dish of ink and soaks it up."""

from __future__ import annotations

from collections.abc import Callable

from worldgauge.blocks import shapes
from worldgauge.blocks.processes.base import Act, Affine, Floats, Kit, Mover, Words, scale_about
from worldgauge.blocks.scene import Look

_Share = Callable[[float], float]
PAPER = (0.93, 0.92, 0.87)
STRIPS = 7
"""Parts of the wet front, each a little ahead or behind."""
START = 0.015
"""Time since the paper was put in, in durations of the clip."""


def build(kit: Kit) -> Act:
    name, colour = kit.colour()
    u, b = kit.unit, kit.b
    target = b.instance(f"blotting paper in {name} ink", "target")
    wide, tall, foot = 1.05 * u, 1.4 * u, 0.08 * u
    dish = [(0.0, 0.0), (0.55 * u, 0.0), (0.78 * u, 0.22 * u), (0.72 * u, 0.22 * u), (0.68 * u, 0.15 * u)]
    b.add(target, shapes.lathe(dish, 28), Look("plain", (0.35, 0.36, 0.4), shine=0.5))
    b.add(target, shapes.cylinder(0.69 * u, 0.02 * u, 28), Look("plain", colour, shine=0.9), (0, 0, 0.15 * u))
    b.add(target, shapes.box(wide, 0.05 * u, tall), Look("speckle", PAPER, 0.7 * u), (0, 0, foot + tall / 2))
    ink = Look("blotches", (0.85 * colour[0], 0.85 * colour[1], 0.85 * colour[2]), 0.6 * u, 0.2)

    def progress(t: float) -> float:
        # Wicking: the wet front rises as the square root of time; 1 at the end of the clip.
        first = START**0.5
        return float(((START + t / kit.duration) ** 0.5 - first) / ((START + 1) ** 0.5 - first))

    movers = []
    heights = 0.8 + 0.2 * kit.rng.uniform(size=STRIPS)
    for k, height in enumerate(heights):
        x, start, full = (k - (STRIPS - 1) / 2) * wide / STRIPS, 0.14 * u, float(height) * 0.95 * tall
        strip = shapes.box(wide / STRIPS, 0.07 * u, start)
        wet = b.add(target, strip, ink, (x, 0, foot + start / 2))
        movers.append(Mover((wet,), _risen((x, 0.0, foot), start, full, progress)))
    words = Words(
        f"the {target.name} begins to soak up the ink from its dish",
        f"the ink rises further in the {target.name}",
        f"the {target.name} is soaked: most of it is {name}",
        f"the {target.name} is as white as at the beginning",
        "the wet part only rises, slower and slower",
        "the paper gets dry again",
    )
    return Act(target, (0, 0, 0.7 * u), words, (), progress=progress, change="soaked", movers=tuple(movers))


def _risen(about: tuple[float, float, float], start: float, full: float, progress: _Share) -> Affine:
    """A strip that grows from `start` to `full` metres."""

    def at(t: float) -> Floats:
        return scale_about(about, 1, 1, 1 + (full / start - 1) * progress(t))

    return at
