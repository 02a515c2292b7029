"""Turning rollers carry a parcel along."""

from __future__ import annotations

import numpy as np

from worldgauge.blocks import palette, shapes
from worldgauge.blocks.processes.base import Act, Kit, Mover, Words, shift, side_word, turning
from worldgauge.blocks.scene import Look


def build(kit: Kit) -> Act:
    name, colour = kit.colour()
    way, u, b = kit.direction(), kit.unit, kit.b
    target = b.instance(f"{name} parcel", "target")
    belt = b.instance("roller conveyor", "part")
    radius, height, travel = 0.1 * u, 0.5 * u, 1.6 * u
    speed = way * travel / kit.duration
    rail, roller = Look("plain", palette.MUTED["slate"], shine=0.4), Look("stripes", palette.STEEL, 0.6 * u, 0.6)
    for y in (-0.42, 0.42):
        b.add(belt, shapes.box(2.9 * u, 0.06 * u, 0.16 * u), rail, (0, y * u, height))
        for x in (-1.35, 1.35):
            b.add(belt, shapes.box(0.08 * u, 0.08 * u, height), rail, (x * u, y * u, height / 2))
    movers = []
    for x in np.linspace(-1.3, 1.3, 11) * u:
        mesh = shapes.cylinder(radius, 0.78 * u, 14)
        # Stripes run along the roller, so that its turning shows.
        turned = shapes.Mesh(mesh.vertices, mesh.uv[:, ::-1], mesh.faces)
        part, hub = b.add(belt, turned, roller, (x, 0, height), tilt=(90, 0, 0)), (float(x), 0.0, height)
        movers.append(Mover((part,), turning(hub, speed / radius)))
    side, floor = 0.5 * u, height + radius
    parcel = (
        b.add(target, shapes.box(side * 1.2, side, side), Look("blotches", colour, 0.5 * u), (0, 0, floor + side / 2)),
        b.add(
            target,
            shapes.box(0.1 * u, side * 1.01, side * 1.01),
            Look("plain", (0.9, 0.86, 0.74)),
            (0, 0, floor + side / 2),
        ),
    )
    movers.append(Mover(parcel, lambda t: shift(-way * travel / 2 + speed * t)))
    word = side_word(way)
    words = Words(
        f"the {target.name} moves to the {word} on a roller conveyor",
        f"the rollers keep carrying the {target.name} to the {word}",
        f"the {target.name} has been carried further to the {word}",
        f"the {target.name} has been carried back to the {side_word(-way)}",
        f"the {target.name} rests on the rollers",
        f"the {target.name} floats above the rollers",
    )
    return Act(target, (-way * travel / 4, 0, floor), words, ("gravity",), movers=tuple(movers))
