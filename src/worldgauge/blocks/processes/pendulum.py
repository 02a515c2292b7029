"""A bob swings from a wooden frame."""

from __future__ import annotations

import numpy as np

from worldgauge.blocks import palette, shapes
from worldgauge.blocks.processes.base import Act, Kit, Words
from worldgauge.blocks.scene import Look


def build(kit: Kit) -> Act:
    name, colour = kit.colour()
    u, b = kit.unit, kit.b
    target = b.instance(f"{name} pendulum", "target")
    frame = b.instance("wooden frame", "part")
    timber, top, length = Look("wood", palette.PINE, 0.5 * u), 1.75 * u, 1.15 * u
    b.add(frame, shapes.box(1.9 * u, 0.12 * u, 0.12 * u), timber, (0, 0.12 * u, top + 0.06 * u))
    for x in (-0.9, 0.9):
        b.add(frame, shapes.box(0.12 * u, 0.12 * u, top), timber, (x * u, 0.12 * u, top / 2))
        b.add(frame, shapes.box(0.14 * u, 0.8 * u, 0.1 * u), timber, (x * u, 0.12 * u, 0.05 * u))
    # The body rests at its starting angle, so that it swings as soon as the physics starts.
    angle = kit.direction() * np.radians(kit.rng.uniform(24, 32))
    body = b.world.add_body(name="pendulum", pos=(0, 0, top))
    target.bodies.append("pendulum")
    body.add_joint(type=b.mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 1, 0])
    along = np.array([np.sin(angle), 0, -np.cos(angle)])
    b.collider(body, "sphere", (0.2 * u, 0, 0), 1.0, tuple(length * along), contype=0, conaffinity=0)
    tilt = (0.0, float(-np.degrees(angle)), 0.0)
    b.add(
        target,
        shapes.cylinder(0.02 * u, length, 8),
        Look("plain", palette.STEEL),
        tuple(length / 2 * along),
        body=body,
        tilt=tilt,
    )
    b.add(
        target,
        shapes.sphere(0.22 * u, 24),
        Look("checker", colour, 0.35 * u, 0.4),
        tuple(length * along),
        body=body,
        tilt=tilt,
    )
    words = Words(
        f"the {target.name} swings from side to side",
        f"the {target.name} keeps swinging with the same rhythm",
        f"the {target.name} is still swinging",
        f"the {target.name} hangs straight down and does not move",
        f"the {target.name} stays at the end of its rod",
        f"the {target.name} comes off its rod and flies away",
    )
    return Act(target, (0, 0, 0.95 * u), words, ("gravity",))
