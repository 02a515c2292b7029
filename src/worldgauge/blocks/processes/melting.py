"""A lump flattens and spreads into a puddle."""

from __future__ import annotations

from worldgauge.blocks import shapes
from worldgauge.blocks.processes.base import Act, Floats, Kit, Mover, Words, mix, ramp, scale_about
from worldgauge.blocks.scene import Look


def build(kit: Kit) -> Act:
    name, colour = kit.colour()
    u, b = kit.unit, kit.b
    target = b.instance(f"{name} lump of wax", "target")
    lump = b.add(target, shapes.sphere(0.42 * u, 24, 1.15), Look("blotches", colour, 0.5 * u, 0.6), (0, 0, 0.42 * u))
    puddle = b.add(
        target, shapes.cylinder(0.4 * u, 0.05 * u, 28), Look("blotches", colour, 0.6 * u, 0.9), (0, 0, 0.025 * u)
    )

    def progress(t: float) -> float:
        return 0.9 * ramp(t, 0.04 * kit.duration, 0.96 * kit.duration)

    def sink(t: float) -> Floats:
        p = progress(t)
        return scale_about((0, 0, 0), 1 + 0.25 * p, 1 + 0.25 * p, 1 - 0.85 * p)

    def spread(t: float) -> Floats:
        p = progress(t)
        return scale_about((0, 0, 0), 0.7 + 1.3 * p, 0.7 + 1.3 * p, 1.0)

    def warm(t: float) -> tuple[float, float, float, float]:
        return mix((1, 1, 1), (0.85, 0.8, 0.75), progress(t))

    words = Words(
        f"the {target.name} begins to melt",
        f"the {target.name} goes on melting and its puddle grows",
        f"the {target.name} is much flatter and lies in a wide puddle",
        f"the {target.name} is as tall as it was at the beginning",
        "the lump gets lower while the puddle gets wider",
        "the lump grows taller",
    )
    return Act(target, (0, 0, 0.35 * u), words, ("melting", "gravity"), progress=progress, change="melted",
               movers=(Mover((lump,), sink, warm), Mover((puddle,), spread, warm)))  # fmt: skip
