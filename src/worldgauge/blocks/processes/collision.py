"""A striped ball rolls into a resting one and hands over its motion."""

from __future__ import annotations

from worldgauge.blocks.palette import MUTED
from worldgauge.blocks.processes.base import Act, Kit, Words, side_word, striped_ball


def build(kit: Kit) -> Act:
    name, colour = kit.colour()
    way, u = kit.direction(), kit.unit
    target, r = kit.b.instance(f"{name} striped ball", "target"), 0.3 * u
    other = kit.b.instance("grey striped ball", "part")
    start, rest = -1.25 * way * u, 0.25 * way * u
    body = striped_ball(kit, target, colour, r, (start, 0, r), bounce=0.95)
    striped_ball(kit, other, MUTED["slate"], r, (rest, 0.03 * u, r), bounce=0.95)
    speed = way * (abs(rest - start) - 2 * r) / (0.45 * kit.duration)
    side = side_word(way)
    words = Words(
        f"the {target.name} rolls to the {side} towards a grey striped ball",
        f"the {target.name} hits the grey ball and pushes it on",
        f"the {target.name} has slowed down and the grey ball has rolled off to the {side}",
        f"the {target.name} has rolled through the grey ball without moving it",
        "the grey ball moves only after it was hit",
        "the two balls pass through each other",
    )
    push = (speed, 0, 0, 0, speed / r, 0)
    return Act(target, (-0.3 * way * u, 0, r), words, ("impact", "gravity"), velocities={body: push}, needs_hit=True)
