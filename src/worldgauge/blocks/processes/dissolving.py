"""A block of bath salt dissolves in a basin and colours the water."""

from __future__ import annotations

from worldgauge.blocks import shapes
from worldgauge.blocks.processes.base import Act, Floats, Kit, Mover, Words, mix, ramp, scale_about
from worldgauge.blocks.scene import Look

CLEAR = (0.80, 0.88, 0.90)
"""Water before anything is dissolved in it."""


def build(kit: Kit) -> Act:
    name, colour = kit.colour()
    u, b = kit.unit, kit.b
    target = b.instance(f"block of {name} bath salt", "target")
    rim, level = 0.34 * u, 0.24 * u
    side, wide, tall = 0.42 * u, 0.72 * u, 0.95 * u
    basin = [(0.0, 0.0), (0.6 * wide, 0.0), (1.12 * wide, rim), (1.04 * wide, rim), (1.02 * wide, level)]
    b.add(target, shapes.lathe(basin, 28), Look("plain", (0.9, 0.9, 0.88), shine=0.7))
    water = b.add(
        target, shapes.cylinder(1.01 * wide, 0.02 * u, 28), Look("blotches", (1, 1, 1), 1.6 * u, 0.9), (0, 0, level)
    )
    foot = 0.06 * u
    salt = b.add(target, shapes.box(side, side, tall), Look("speckle", colour, 0.5 * u, 0.3), (0, 0, foot + tall / 2),
                 yaw=float(kit.rng.uniform(20, 70)))  # fmt: skip

    def progress(t: float) -> float:
        return 0.93 * ramp(t, 0.0, kit.duration)

    def wear(t: float) -> Floats:
        # All faces retreat alike: what is left has the volume that is not yet dissolved.
        size = (1 - progress(t)) ** (1 / 3)
        return scale_about((0, 0, foot), size, size, size)

    def stain(t: float) -> tuple[float, float, float, float]:
        return mix(CLEAR, colour, progress(t))

    words = Words(
        f"the {target.name} begins to dissolve in a basin of clear water",
        f"the {target.name} goes on dissolving and the water turns {name}",
        f"the {target.name} is much smaller and the water is {name}",
        f"the {target.name} is as large as at the beginning and the water is clear",
        "the block gets smaller while the water gets its colour",
        "the block grows while it lies in the water",
    )
    return Act(
        target,
        (0, 0, 0.5 * u),
        words,
        ("solubility",),
        progress=progress,
        change="dissolved",
        movers=(Mover((salt,), wear), Mover((water,), tint=stain)),
    )
