"""A heavy ball knocks a tower of blocks over."""

from __future__ import annotations

from worldgauge.blocks import palette, shapes
from worldgauge.blocks.processes.base import Act, Kit, Words, side_word, striped_ball
from worldgauge.blocks.scene import Look


def build(kit: Kit) -> Act:
    name, colour = kit.colour()
    way, u, b = kit.direction(), kit.unit, kit.b
    target = b.instance(f"{name} block tower", "target")
    side, gap = 0.3 * u, 0.001 * u
    for k in range(5):
        body = b.free_body(target, (0, 0, (k + 0.5) * side + (k + 1) * gap))
        b.collider(body, "box", (side / 2, side / 2, side / 2), 0.3, friction=[0.6, 0.005, 0.0001])
        texture = "checker" if k % 2 else "blotches"
        b.add(target, shapes.box(side, side, side), Look(texture, colour, 0.3 * u), body=body)
    radius = 0.34 * u
    ball = b.instance("grey iron ball", "part")
    thrown = striped_ball(kit, ball, palette.MUTED["grey"], radius, (-1.6 * way * u, 0.04 * u, radius), mass=3.0)
    speed = way * 4.0 * u**0.5
    words = Words(
        f"the {target.name} stands upright and a grey iron ball lies beside it",
        f"the iron ball rolls to the {side_word(way)} and knocks the {target.name} over",
        f"the blocks of the {target.name} lie scattered on the ground",
        f"the {target.name} still stands upright",
        "the blocks fall only after the ball has hit them",
        "the tower falls before anything touches it",
    )
    return Act(
        target,
        (0, 0, 0.7 * u),
        words,
        ("gravity", "impact", "hardness"),
        velocities={thrown: (speed, 0, 0, 0, speed / radius, 0)},
        holds={thrown: 0.40 * kit.duration},
        needs_hit=True,
    )
