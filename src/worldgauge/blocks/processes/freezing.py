"""A wobbling blob of gel stiffens and pales until it stands still."""

from __future__ import annotations

import numpy as np

from worldgauge.blocks import shapes
from worldgauge.blocks.palette import STEEL
from worldgauge.blocks.processes.base import Act, Floats, Kit, Mover, Words, mix, ramp, scale_about
from worldgauge.blocks.scene import Look


def build(kit: Kit) -> Act:
    name, colour = kit.colour()
    u, b = kit.unit, kit.b
    target = b.instance(f"{name} gel dome", "target")
    b.add(
        b.instance("cooling plate", "part"),
        shapes.cylinder(0.75 * u, 0.12 * u, 28),
        Look("checker", STEEL, 0.5 * u, 0.6),
        (0, 0, 0.06 * u),
    )
    floor, polar = 0.12 * u, np.linspace(0, np.pi / 2, 10)
    dome = shapes.lathe([(0, 0), *((0.55 * u * float(np.cos(p)), 0.85 * u * float(np.sin(p))) for p in polar)], 28)
    blob = b.add(target, dome, Look("blotches", (1, 1, 1), 0.6 * u, 0.9), (0, 0, floor))
    pale = (0.3 * colour[0] + 0.7, 0.3 * colour[1] + 0.7, 0.3 * colour[2] + 0.7)
    rate = 2 * np.pi * kit.rng.uniform(1.1, 1.5)

    def progress(t: float) -> float:
        return ramp(t, 0.0, 0.75 * kit.duration)

    def wobble(t: float) -> Floats:
        tall = 1 + 0.22 * (1 - progress(t)) * np.sin(rate * t)
        wide = tall**-0.5  # the volume stays
        return scale_about((0, 0, floor), wide, wide, tall)

    words = Words(
        f"the {target.name} on a cooling plate wobbles like jelly",
        f"the {target.name} freezes: its wobble dies down and it turns pale",
        f"the {target.name} is pale, stiff and stands still",
        f"the {target.name} wobbles as much as at the beginning",
        "the dome keeps its place on the plate while it stiffens",
        "the dome wobbles more and more",
    )
    return Act(
        target,
        (0, 0, 0.6 * u),
        words,
        ("freezing", "hardness"),
        progress=progress,
        change="frozen",
        movers=(Mover((blob,), wobble, lambda t: mix(colour, pale, progress(t))),),
    )
