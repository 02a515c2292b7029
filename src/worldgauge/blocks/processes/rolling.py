"""A striped ball rolls slowly across the ground."""

from __future__ import annotations

from worldgauge.blocks.processes.base import Act, Kit, Words, side_word, striped_ball


def build(kit: Kit) -> Act:
    name, colour = kit.colour()
    way, r = kit.direction(), 0.32 * kit.unit
    target = kit.b.instance(f"{name} striped ball", "target")
    travel = 2.0 * kit.unit
    body = striped_ball(kit, target, colour, r, (-way * travel / 2, 0, r))
    speed = way * travel / kit.duration
    side = side_word(way)
    words = Words(
        f"the {target.name} rolls slowly to the {side} across the ground",
        f"the {target.name} keeps rolling to the {side}",
        f"the {target.name} is further to the {side} and still rolling",
        f"the {target.name} has rolled back to the {side_word(-way)} of where it started",
        f"the {target.name} stays on the ground while it rolls",
        f"the {target.name} floats above the ground",
    )
    return Act(
        target, (-way * travel / 4, 0, r), words, ("gravity",), velocities={body: (speed, 0, 0, 0, speed / r, 0)}
    )
