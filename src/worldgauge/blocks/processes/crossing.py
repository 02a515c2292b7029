"""A toy truck drives across the scene at constant speed."""

from __future__ import annotations

from worldgauge.blocks import palette, shapes
from worldgauge.blocks.processes.base import Act, Floats, Kit, Mover, Words, shift, side_word, turning
from worldgauge.blocks.scene import Look


def build(kit: Kit) -> Act:
    name, colour = kit.colour()
    way, u, b = kit.direction(), kit.unit, kit.b
    target = b.instance(f"{name} toy truck", "target")
    paint, dark = Look("blotches", colour, 0.6 * u, 0.5), Look("plain", palette.DARK, shine=0.2)
    glass = Look("plain", (0.75, 0.85, 0.92), shine=0.9)
    body = (
        b.add(target, shapes.box(0.75 * u, 0.46 * u, 0.36 * u), paint, (-0.2 * way * u, 0, 0.42 * u)),
        b.add(
            target,
            shapes.box(0.36 * u, 0.44 * u, 0.5 * u),
            Look("plain", colour, shine=0.6),
            (0.42 * way * u, 0, 0.45 * u),
        ),
        b.add(target, shapes.box(0.2 * u, 0.46 * u, 0.16 * u), glass, (0.48 * way * u, 0, 0.56 * u)),
        b.add(target, shapes.box(1.2 * u, 0.4 * u, 0.08 * u), dark, (0, 0, 0.2 * u)),
    )
    radius = 0.15 * u
    rim = Look("checker", palette.STEEL, 0.2 * u, 0.4)
    hubs = [(x * u, y * u, radius) for x in (-0.38, 0.4) for y in (-0.25, 0.25)]
    wheels = [b.add(target, shapes.cylinder(radius, 0.1 * u, 14), rim, hub, tilt=(90, 0, 0)) for hub in hubs]
    travel = 2.4 * u
    speed = way * travel / kit.duration

    def drive(t: float) -> Floats:
        return shift(-way * travel / 2 + speed * t)

    movers = [Mover(body, drive)]
    for wheel, hub in zip(wheels, hubs, strict=True):
        movers.append(Mover((wheel,), turning(hub, speed / radius, drive)))
    side = side_word(way)
    words = Words(
        f"the {target.name} drives to the {side}",
        f"the {target.name} keeps driving to the {side} at the same speed",
        f"the {target.name} is further to the {side} and still driving",
        f"the {target.name} stands exactly where it was at the beginning",
        f"the {target.name} stays on its wheels",
        f"the {target.name} lifts off the ground",
    )
    return Act(target, (-way * travel / 4, 0, 0.4 * u), words, ("gravity",), movers=tuple(movers))
