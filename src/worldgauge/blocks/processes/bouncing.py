"""A striped ball bounces on the spot, a little lower each time."""

from __future__ import annotations

from worldgauge.blocks.processes.base import Act, Kit, Words, side_word, striped_ball


def build(kit: Kit) -> Act:
    name, colour = kit.colour()
    way, u = kit.direction(), kit.unit
    target = kit.b.instance(f"{name} striped ball", "target")
    body = striped_ball(kit, target, colour, 0.3 * u, (-0.4 * way * u, 0, 1.5 * u), bounce=0.9)
    words = Words(
        f"the {target.name} bounces up and down on the ground",
        f"the {target.name} keeps bouncing, a little lower each time, and drifts to the {side_word(way)}",
        f"the {target.name} bounces lower than before",
        f"the {target.name} bounces higher than at the beginning",
        f"the {target.name} comes down again after every bounce",
        f"the {target.name} stops in mid-air",
    )
    drift = way * 0.8 * u / kit.duration
    return Act(
        target, (-0.4 * way * u, 0, 0.8 * u), words, ("gravity", "impact"), velocities={body: (drift, 0, 0, 0, 2.0, 0)}
    )
