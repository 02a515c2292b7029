"""A balloon grows on its pump."""

from __future__ import annotations

from worldgauge.blocks import palette, shapes
from worldgauge.blocks.processes.base import Act, Floats, Kit, Mover, Words, ramp, scale_about
from worldgauge.blocks.scene import Look


def build(kit: Kit) -> Act:
    name, colour = kit.colour()
    u, b = kit.unit, kit.b
    target = b.instance(f"{name} balloon", "target")
    pump = b.instance("air pump", "part")
    b.add(
        pump, shapes.box(0.5 * u, 0.4 * u, 0.3 * u), Look("blotches", palette.MUTED["slate"], 0.4 * u), (0, 0, 0.15 * u)
    )
    b.add(pump, shapes.cylinder(0.04 * u, 0.16 * u, 10), Look("plain", palette.STEEL), (0, 0, 0.37 * u))
    neck, radius = (0.0, 0.0, 0.42 * u), 0.6 * u
    mesh = shapes.sphere(radius, 28, 1.15)
    stripes = shapes.Mesh(mesh.vertices, mesh.uv[:, ::-1], mesh.faces)
    skin = b.add(target, stripes, Look("stripes", colour, 1.9 * u, 0.5), (0, 0, neck[2] + radius * 1.15))

    def progress(t: float) -> float:
        return ramp(t, 0.0, 0.97 * kit.duration)

    def grow(t: float) -> Floats:
        # Air flows in evenly: the volume grows linearly from a twelfth of the full balloon.
        size = (0.08 + 0.92 * progress(t)) ** (1 / 3)
        return scale_about(neck, size, size, size)

    words = Words(
        f"the {target.name} on an air pump begins to inflate",
        f"the {target.name} goes on inflating",
        f"the {target.name} is clearly larger than at the beginning",
        f"the {target.name} is as small as at the beginning",
        f"the {target.name} stays attached to the pump",
        f"the {target.name} shrinks",
    )
    return Act(target, (0, 0, 0.8 * u), words, ("gravity",), progress=progress, change="inflated",
               movers=(Mover((skin,), grow),))  # fmt: skip
