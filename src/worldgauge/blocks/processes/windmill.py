"""A windmill whose sails turn at constant speed."""

from __future__ import annotations

import numpy as np

from worldgauge.blocks import palette, shapes
from worldgauge.blocks.processes.base import Act, Kit, Mover, Words, turning
from worldgauge.blocks.scene import Look


def build(kit: Kit) -> Act:
    name, colour = kit.colour()
    u, b = kit.unit, kit.b
    target = b.instance(f"{name} windmill", "target")
    tower = shapes.lathe([(0, 0), (0.4 * u, 0), (0.24 * u, 1.3 * u), (0, 1.3 * u)], 16)
    b.add(target, tower, Look("brick", (0.8, 0.76, 0.68), 0.6 * u))
    b.add(target, shapes.cone(0.32 * u, 0.4 * u, 16), Look("tiles", colour, 0.3 * u), (0, 0, 1.5 * u))
    hub = (0.0, -0.34 * u, 1.25 * u)
    sails = [b.add(target, shapes.sphere(0.09 * u, 12), Look("plain", palette.DARK), hub)]
    blade = shapes.box(0.2 * u, 0.03 * u, 0.62 * u)
    for k in range(4):
        angle = np.pi / 2 * k + 0.3
        at = (hub[0] + 0.38 * u * np.sin(angle), hub[1], hub[2] + 0.38 * u * np.cos(angle))
        # One sail is striped, so that the rotor's angle can be read.
        look = Look("stripes", colour, 0.5 * u) if k == 0 else Look("plain", colour)
        sails.append(b.add(target, blade, look, at, tilt=(0, float(np.degrees(angle)), 0)))
    rate = kit.direction() * 2 * np.pi * kit.rng.uniform(1.1, 1.6) / kit.duration
    words = Words(
        f"the sails of the {target.name} turn steadily",
        f"the sails of the {target.name} keep turning",
        f"the sails of the {target.name} are still turning at the same speed",
        f"the sails of the {target.name} have stopped",
        f"the tower of the {target.name} stands still while its sails turn",
        f"the whole {target.name} turns with its sails",
    )
    mover = Mover(tuple(sails), turning(hub, rate))
    return Act(target, (0, 0, 0.9 * u), words, ("gravity",), movers=(mover,))
