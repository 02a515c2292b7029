"""A second paint is poured into a jar and the colours mix."""

from __future__ import annotations

from worldgauge.blocks import palette, shapes
from worldgauge.blocks.processes.base import Act, Kit, Mover, Words, mix, ramp, scale_about
from worldgauge.blocks.scene import Look

MIXTURES = {("red", "yellow"): "orange", ("blue", "yellow"): "green", ("red", "blue"): "purple"}


def build(kit: Kit) -> Act:
    pairs = list(MIXTURES)
    first, second = pairs[kit.rng.integers(len(pairs))]
    result, u, b = MIXTURES[first, second], kit.unit, kit.b
    stand_name, stand_colour = kit.colour("pink", "green", "purple")
    target = b.instance(f"paint jar on a {stand_name} stand", "target")
    stand, rim = Look("stripes", stand_colour, 0.4 * u), Look("plain", (0.92, 0.92, 0.9), shine=0.8)
    b.add(target, shapes.cylinder(0.55 * u, 0.3 * u, 24), stand, (0, 0, 0.15 * u))
    b.add(target, shapes.cylinder(0.47 * u, 0.06 * u, 24), rim, (0, 0, 1.2 * u))
    base, height = 0.3 * u, 0.87 * u
    paint = b.add(
        target,
        shapes.cylinder(0.43 * u, height, 28),
        Look("blotches", (1, 1, 1), 0.7 * u, 0.7),
        (0, 0, base + height / 2),
    )
    spout = (0.0, 0.0, 1.75 * u)
    stream = b.add(
        b.instance(f"stream of {second} paint", "part"),
        shapes.cylinder(0.05 * u, 0.55 * u, 10),
        Look("plain", palette.VIVID[second], shine=0.7),
        (0, 0, spout[2] - 0.27 * u),
    )
    b.add(
        b.instance(f"{second} paint can", "part"),
        shapes.cylinder(0.16 * u, 0.3 * u, 16),
        Look("plain", palette.VIVID[second]),
        (0.08 * u, 0, spout[2] + 0.1 * u),
        tilt=(0, -70, 0),
    )

    def progress(t: float) -> float:
        return ramp(t, 0.05 * kit.duration, 0.9 * kit.duration)

    def colour(t: float) -> tuple[float, float, float, float]:
        return mix(palette.VIVID[first], palette.VIVID[result], progress(t))

    def pour(t: float) -> float:
        return 1.0 if progress(t) < 1 else 0.02

    words = Words(
        f"{second} paint is poured into the {target.name}, which holds {first} paint",
        f"the paint in the {target.name} turns from {first} towards {result}",
        f"the paint in the {target.name} has become more {result}",
        f"the paint in the {target.name} is still pure {first}",
        "the colour changes while the second paint flows in",
        "the paint changes its colour although nothing is added",
    )
    return Act(
        target,
        (0, 0, 0.85 * u),
        words,
        ("color_mixing", "gravity"),
        progress=progress,
        change="mixed",
        movers=(
            Mover((paint,), tint=colour),
            Mover((stream,), lambda t: scale_about(spout, pour(t), pour(t), 1.0)),
        ),
    )
