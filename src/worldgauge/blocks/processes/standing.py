"""A mannequin that stands where it stands: nothing about it changes, whether or not anybody looks."""

from __future__ import annotations

from worldgauge.blocks import palette, shapes
from worldgauge.blocks.processes.base import Act, Kit, Words
from worldgauge.blocks.scene import Look


def build(kit: Kit) -> Act:
    """In a checked skirt."""
    return mannequin(kit, "checker", (0.45, 0.35, 0.3))


def mannequin(kit: Kit, skirt_texture: str, tiles: tuple[float, float, float]) -> Act:
    """`tiles`: after how many units the paint of skirt, coat and head comes around again."""
    name, colour = kit.colour()
    u, b = kit.unit, kit.b
    on_skirt, on_coat, on_head = (tile * u for tile in tiles)
    target = b.instance(f"{name} mannequin", "target")
    x = kit.rng.uniform(-0.3, 0.3) * u
    b.add(target, shapes.cylinder(0.36 * u, 0.08 * u, 24), Look("wood", palette.PINE, 0.4 * u), (x, 0, 0.04 * u))
    skirt = shapes.lathe([(0, 0), (0.34 * u, 0), (0.2 * u, 0.62 * u), (0, 0.62 * u)], 24)
    b.add(target, skirt, Look(skirt_texture, colour, on_skirt, 0.2), (x, 0, 0.08 * u))
    coat = shapes.lathe([(0, 0), (0.2 * u, 0), (0.3 * u, 0.36 * u), (0.1 * u, 0.52 * u), (0, 0.52 * u)], 24)
    b.add(target, coat, Look("blotches", colour, on_coat, 0.2), (x, 0, 0.7 * u))
    b.add(target, shapes.sphere(0.17 * u, 20), Look("blotches", (0.8, 0.62, 0.5), on_head), (x, 0, 1.36 * u))
    words = Words(
        f"the {target.name} stands still",
        f"the {target.name} keeps standing still",
        f"the {target.name} stands where it stood and looks as it did",
        f"the {target.name} lies on the ground",
        f"the {target.name} stays where it is",
        f"the {target.name} walks away",
    )
    return Act(target, (x, 0, 0.8 * u), words, ("gravity",))
