"""A press comes down on a tin can and folds it like a bellows."""

from __future__ import annotations

from worldgauge.blocks import palette, shapes
from worldgauge.blocks.processes.base import Act, Floats, Kit, Mover, Words, ramp, scale_about, shift
from worldgauge.blocks.scene import Look

FOLDS = 4
LEAST = 0.25
"""Share of its height that is left of the can."""


def build(kit: Kit) -> Act:
    name, colour = kit.colour()
    u, b = kit.unit, kit.b
    target, press = b.instance(f"{name} tin can", "target"), b.instance("press", "part")
    steel = Look("plain", palette.STEEL, shine=0.6)
    bed, tall, radius = 0.14 * u, 1.1 * u, 0.36 * u
    b.add(press, shapes.box(1.5 * u, 0.8 * u, bed), Look("checker", palette.MUTED["slate"], 0.5 * u), (0, 0, bed / 2))
    for x in (-0.66, 0.66):
        b.add(press, shapes.box(0.1 * u, 0.14 * u, 1.7 * u), steel, (x * u, 0, 0.85 * u))
    b.add(press, shapes.box(1.5 * u, 0.2 * u, 0.12 * u), steel, (0, 0, 1.72 * u))
    # The lid belongs to the can: it hides the can's top, and goes where the can goes.
    lid = b.add(target, shapes.cylinder(0.5 * u, 0.08 * u, 28), steel, (0, 0, bed + tall + 0.04 * u))
    # Long enough to stay in its beam when the lid is down.
    rod = b.add(press, shapes.cylinder(0.07 * u, 1.2 * u, 12), steel, (0, 0, bed + tall + 0.68 * u))

    def progress(t: float) -> float:
        return ramp(t, 0.0, 0.92 * kit.duration)

    # A wall with waists, the folds of the bellows.
    wall = [(radius if k % 2 == 0 else 0.93 * radius, k * tall / 2 / FOLDS) for k in range(2 * FOLDS + 1)]
    can = b.add(
        target, shapes.lathe([(0, 0), *wall, (0, tall)], 28), Look("stripes", colour, 0.55 * u, 0.6), (0, 0, bed)
    )

    def fold(t: float) -> Floats:
        p = progress(t)
        return scale_about((0, 0, bed), 1 + 0.3 * p, 1 + 0.3 * p, 1 - (1 - LEAST) * p)

    def press_down(t: float) -> Floats:
        return shift(z=-(1 - LEAST) * tall * progress(t))

    words = Words(
        f"a press begins to crush the {target.name}",
        f"the press goes on crushing the {target.name}",
        f"the {target.name} is crushed flat under the press",
        f"the {target.name} is as tall as at the beginning",
        "the can only gets lower under the press",
        "the can springs back to its full height",
    )
    return Act(target, (0, 0, 0.8 * u), words, ("hardness", "impact"), progress=progress, change="been crushed",
               movers=(Mover((can,), fold), Mover((lid, rod), press_down)))  # fmt: skip
