"""A box hangs from a beam; while nobody looks it is let go and falls."""

from __future__ import annotations

from worldgauge.blocks import palette, shapes
from worldgauge.blocks.processes.base import Act, Kit, Words
from worldgauge.blocks.scene import Look


def build(kit: Kit) -> Act:
    name, colour = kit.colour()
    u, b = kit.unit, kit.b
    target = b.instance(f"{name} striped box", "target")
    frame = b.instance("lifting frame", "part")
    steel, height = Look("plain", palette.STEEL, shine=0.6), 1.45 * u
    b.add(frame, shapes.box(1.9 * u, 0.1 * u, 0.1 * u), steel, (0, 0, 2.02 * u))
    for x in (-0.9, 0.9):
        b.add(frame, shapes.cylinder(0.05 * u, 2.0 * u, 10), steel, (x * u, 0, 1.0 * u))
        b.add(frame, shapes.box(0.16 * u, 0.9 * u, 0.06 * u), steel, (x * u, 0, 0.03 * u))
    b.add(frame, shapes.cone(0.1 * u, 0.24 * u, 10), Look("plain", palette.DARK), (0, 0, 1.88 * u), tilt=(180, 0, 0))
    body = b.free_body(target, (0, 0, height))
    side = 0.5 * u
    b.collider(body, "box", (side / 2, side / 2, side / 2), 1.0, friction=[0.7, 0.005, 0.0001])
    mesh = shapes.box(side, side, side)
    b.add(target, mesh, Look("stripes", colour, 0.6 * u), body=body)
    tilt = kit.direction() * 1.2
    words = Words(
        f"the {target.name} hangs from a beam",
        f"the {target.name} is let go and falls to the ground",
        f"the {target.name} lies on the ground below the beam",
        f"the {target.name} still hangs from the beam",
        f"the {target.name} moves down, not up, once it is let go",
        f"the {target.name} rises",
    )
    return Act(target, (0, 0, 1.0 * u), words, ("gravity", "impact"), velocities={body.name: (0, 0, 0, 0.3, tilt, 0.4)},
               holds={body.name: 0.42 * kit.duration}, needs_hit=True)  # fmt: skip
