"""A thick candle burns down."""

from __future__ import annotations

import numpy as np

from worldgauge.blocks import palette, shapes
from worldgauge.blocks.processes.base import Act, Floats, Kit, Mover, Words, mix, ramp, scale_about, shift
from worldgauge.blocks.scene import Look


def build(kit: Kit) -> Act:
    name, colour = kit.colour()
    u, b = kit.unit, kit.b
    target = b.instance(f"{name} candle", "target")
    base, height = 0.12 * u, 1.15 * u
    top = base + height
    b.add(target, shapes.cylinder(0.42 * u, base, 24), Look("plain", palette.STEEL, shine=0.8), (0, 0, base / 2))
    wax = b.add(
        target, shapes.cylinder(0.26 * u, height, 24), Look("stripes", colour, 0.9 * u, 0.3), (0, 0, base + height / 2)
    )
    wick = b.add(target, shapes.cylinder(0.02 * u, 0.12 * u, 8), Look("plain", palette.DARK), (0, 0, top + 0.06 * u))
    flame = b.add(
        target,
        shapes.lathe([(0, 0), (0.09 * u, 0.12 * u), (0.05 * u, 0.28 * u), (0, 0.42 * u)], 14),
        Look("plain", (1.0, 0.72, 0.2), glow=0.9),
        (0, 0, top + 0.08 * u),
    )
    beat = kit.rng.uniform(7, 9)

    def progress(t: float) -> float:
        return 0.75 * ramp(t, 0.0, kit.duration)

    def sink(t: float) -> Floats:
        return shift(z=-progress(t) * height)

    def flicker(t: float) -> Floats:
        about = (0.0, 0.0, top + 0.08 * u)
        return sink(t) @ scale_about(about, 1 + 0.1 * np.sin(1.7 * beat * t), 1.0, 1 + 0.15 * np.sin(beat * t))

    words = Words(
        f"the {target.name} burns with a small flame",
        f"the {target.name} keeps burning down",
        f"the {target.name} is much shorter and darker and still burns",
        f"the {target.name} is as tall as at the beginning",
        "the candle gets shorter while it burns",
        "the candle grows taller",
    )
    return Act(
        target,
        (0, 0, 0.85 * u),
        words,
        ("combustibility", "melting"),
        progress=progress,
        change="burnt down",
        movers=(
            Mover(
                (wax,),
                lambda t: scale_about((0, 0, base), 1, 1, 1 - progress(t)),
                lambda t: mix((1, 1, 1), (0.5, 0.45, 0.42), progress(t)),
            ),
            Mover((wick,), sink),
            Mover((flame,), flicker),
        ),
    )
