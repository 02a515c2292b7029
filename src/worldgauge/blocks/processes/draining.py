"""A tank of coloured water runs empty into a growing puddle."""

from __future__ import annotations

from worldgauge.blocks import palette, shapes
from worldgauge.blocks.processes.base import Act, Floats, Kit, Mover, Words, ramp, scale_about
from worldgauge.blocks.scene import Look


def build(kit: Kit) -> Act:
    name, colour = kit.colour()
    u, b, way = kit.unit, kit.b, kit.direction()
    target = b.instance(f"tank of {name} water", "target")
    side, low, high = 0.8 * u, 0.4 * u, 1.5 * u
    steel, height = Look("plain", palette.STEEL, shine=0.5), high - low
    for z in (low - 0.03 * u, high + 0.03 * u):
        b.add(target, shapes.box(side * 1.12, side * 1.12, 0.06 * u), steel, (0, 0, z))
    b.add(
        target, shapes.cylinder(0.06 * u, height, 10), Look("stripes", palette.DARK, 0.5 * u), (0, 0, (low + high) / 2)
    )
    for x in (-0.52, 0.52):
        for y in (-0.52, 0.52):
            b.add(target, shapes.box(0.06 * u, 0.06 * u, high), steel, (x * side, y * side, high / 2))
    b.add(target, shapes.box(0.3 * u, 0.1 * u, 0.1 * u), steel, (way * 0.6 * u, 0, low + 0.02 * u))
    water = b.add(
        target, shapes.box(side, side, height), Look("blotches", colour, 0.9 * u, 0.9), (0, 0, (low + high) / 2)
    )
    puddle_at = (way * 0.85 * u, 0.0, 0.0)
    puddle = b.add(
        b.instance("puddle", "part"),
        shapes.cylinder(0.5 * u, 0.02 * u, 24),
        Look("plain", colour, shine=0.9),
        (puddle_at[0], 0, 0.01 * u),
    )

    def progress(t: float) -> float:
        return 0.95 * ramp(t, 0.0, kit.duration)

    def spread(t: float) -> Floats:
        wide = (0.02 + progress(t)) ** 0.5  # the area grows evenly
        return scale_about(puddle_at, wide, wide, 1.0)

    words = Words(
        f"the {target.name} begins to drain through its tap",
        f"the level in the {target.name} keeps falling and the puddle grows",
        f"the level in the {target.name} is much lower and the puddle is wide",
        f"the level in the {target.name} is as high as at the beginning",
        "the water level only falls",
        "the water level rises",
    )
    return Act(
        target,
        (0, 0, 0.85 * u),
        words,
        ("gravity",),
        progress=progress,
        change="drained",
        movers=(
            Mover((water,), lambda t: scale_about((0, 0, low), 1, 1, 1 - progress(t))),
            Mover((puddle,), spread),
        ),
    )
