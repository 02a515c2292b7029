"""Moving things that the case is not about; they pass behind the stage in about half of the worlds."""

from __future__ import annotations

import numpy as np

from worldgauge.blocks import palette, shapes
from worldgauge.blocks.processes.base import Affine, Floats, Kit, Mover, shift, spin, turning
from worldgauge.blocks.scene import Look

CHANCE = 0.5
_LANE = 4.9
"""Distance behind the stage, in units: no camera path reaches it."""


def add_bystander(kit: Kit) -> tuple[Mover, ...]:
    """Perhaps a walking figure or a cart; returns what moves it."""
    if kit.rng.random() >= CHANCE:
        return ()
    return _walker(kit) if kit.rng.random() < 0.5 else _cart(kit)


def _walker(kit: Kit) -> tuple[Mover, ...]:
    u, b, way = kit.unit, kit.b, kit.direction()
    owner = b.instance("walking figure", "bystander")
    coat = Look("blotches", palette.MUTED[str(kit.rng.choice(list(palette.MUTED)))], 0.4 * u)
    torso = (
        b.add(
            owner,
            shapes.lathe([(0, 0), (0.2 * u, 0), (0.24 * u, 0.45 * u), (0.1 * u, 0.62 * u), (0, 0.62 * u)], 14),
            coat,
            (0, _LANE * u, 0.6 * u),
        ),
        b.add(owner, shapes.sphere(0.15 * u, 14), Look("plain", (0.78, 0.62, 0.5)), (0, _LANE * u, 1.34 * u)),
    )
    legs = [
        b.add(
            owner,
            shapes.box(0.14 * u, 0.13 * u, 0.66 * u),
            Look("plain", palette.MUTED["slate"]),
            (0, (_LANE + y) * u, 0.33 * u),
        )
        for y in (-0.1, 0.1)
    ]

    def walk(t: float) -> Floats:
        return shift(way * u * (4.4 * t / kit.duration - 2.2))

    def stride(side: int) -> Affine:
        hip = (0.0, _LANE * u, 0.66 * u)
        return lambda t: walk(t) @ spin(hip, (0, 1, 0), side * 0.45 * np.sin(2 * np.pi * 1.2 * t))

    return Mover(torso, walk), Mover((legs[0],), stride(-1)), Mover((legs[1],), stride(1))


def _cart(kit: Kit) -> tuple[Mover, ...]:
    u, b, way = kit.unit, kit.b, kit.direction()
    owner, radius = b.instance("wooden cart", "bystander"), 0.2 * u
    load = (
        b.add(
            owner,
            shapes.box(1.0 * u, 0.55 * u, 0.35 * u),
            Look("wood", palette.PINE, 0.5 * u),
            (0, _LANE * u, 0.45 * u),
        ),
        b.add(
            owner,
            shapes.sphere(0.32 * u, 14, 0.7),
            Look("grass", palette.MUTED["olive"], 0.5 * u),
            (0, _LANE * u, 0.66 * u),
        ),
    )
    wheels = []
    speed = way * u * 4.0 / kit.duration
    hubs = [(x * u, (_LANE - 0.32) * u, radius) for x in (-0.32, 0.32)]

    def roll(t: float) -> Floats:
        return shift(speed * t - way * u * 2.0)

    for hub in hubs:
        wheel = b.add(
            owner,
            shapes.cylinder(radius, 0.08 * u, 16),
            Look("checker", palette.MUTED["brown"], 0.25 * u),
            hub,
            tilt=(90, 0, 0),
        )
        wheels.append(Mover((wheel,), turning(hub, speed / radius, roll)))
    return (Mover(load, roll), *wheels)
