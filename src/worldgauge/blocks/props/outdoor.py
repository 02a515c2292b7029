"""Things of streets, gardens and terraces."""

from __future__ import annotations

from worldgauge.blocks import palette, shapes
from worldgauge.blocks.props.common import muted, turned
from worldgauge.blocks.scene import Look, SceneBuilder


def crate(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    side = unit * b.rng.uniform(0.5, 0.8)
    look = Look("wood", palette.PINE, 0.5 * unit)
    crate_ = b.instance("wooden crate")
    b.add(crate_, shapes.box(side, side, side), look, (x, y, side / 2), yaw)
    if b.rng.random() < 0.5:
        top = side * 0.7
        b.add(crate_, shapes.box(top, top, top), look, (x, y, side + top / 2), yaw + 25)


def barrel(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    name, colour = muted(b)
    h = 0.9 * unit
    profile = [(0, 0), (0.27, 0), (0.33, 0.25), (0.33, 0.65), (0.27, 0.9), (0, 0.9)]
    body = shapes.lathe([(r * unit, z * unit) for r, z in profile])
    b.add(b.instance(f"{name} barrel"), body, Look("wood", colour, 0.5 * h), (x, y, 0), yaw)


def bench(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    owner = b.instance("wooden bench")
    look, leg = Look("wood", palette.WOOD, 0.6 * unit), Look("plain", palette.DARK)
    b.add(owner, shapes.box(1.6 * unit, 0.45 * unit, 0.07 * unit), look, (x, y, 0.45 * unit), yaw)
    bx, by = turned(x, y, yaw, 0, 0.2 * unit)
    b.add(owner, shapes.box(1.6 * unit, 0.06 * unit, 0.4 * unit), look, (bx, by, 0.75 * unit), yaw)
    for side in (-0.65, 0.65):
        lx, ly = turned(x, y, yaw, side * unit, 0)
        b.add(owner, shapes.box(0.08 * unit, 0.4 * unit, 0.45 * unit), leg, (lx, ly, 0.22 * unit), yaw)


def tree(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    owner = b.instance("leafy tree")
    h = unit * b.rng.uniform(1.3, 1.9)
    bark, leaf = Look("blotches", palette.MUTED["brown"], 0.4 * unit), Look("grass", palette.LEAF, 0.8 * unit, 0.0)
    b.add(owner, shapes.cylinder(0.12 * unit, h, 10), bark, (x, y, h / 2), yaw)
    for dx, dy, dz, r in ((0, 0, 0.5, 0.85), (0.5, 0.2, 0.2, 0.55), (-0.45, -0.25, 0.25, 0.6)):
        ox, oy = turned(x, y, yaw, dx * unit, dy * unit)
        b.add(owner, shapes.sphere(r * unit, 14, 0.85), leaf, (ox, oy, h + dz * unit), yaw)


def fir(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    owner = b.instance("fir tree")
    leaf = Look("grass", (0.12, 0.30, 0.18), 0.7 * unit, 0.0)
    b.add(owner, shapes.cylinder(0.1 * unit, 0.6 * unit, 8), Look("blotches", (0.3, 0.2, 0.13)), (x, y, 0.3 * unit))
    for level in range(3):
        b.add(
            owner,
            shapes.cone((0.9 - 0.22 * level) * unit, 1.1 * unit, 12),
            leaf,
            (x, y, (0.9 + 0.65 * level) * unit),
            yaw,
        )


def bush(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    look = Look("grass", (0.25, 0.45, 0.20), 0.6 * unit, 0.0)
    b.add(b.instance("round bush"), shapes.sphere(0.5 * unit, 16, 0.8), look, (x, y, 0.3 * unit), yaw)


def lamp(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    owner = b.instance("street lamp")
    metal = Look("plain", palette.DARK, shine=0.5)
    b.add(owner, shapes.cylinder(0.06 * unit, 3.2 * unit, 10), metal, (x, y, 1.6 * unit))
    b.add(owner, shapes.cylinder(0.16 * unit, 0.3 * unit, 12), metal, (x, y, 0.15 * unit))
    b.add(owner, shapes.sphere(0.2 * unit, 14), Look("plain", (0.98, 0.93, 0.75), glow=0.6), (x, y, 3.3 * unit))


def bollard(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    look = Look("stripes", palette.MUTED["slate"], 0.9 * unit)
    b.add(b.instance("striped bollard"), shapes.cylinder(0.12 * unit, 0.8 * unit, 12), look, (x, y, 0.4 * unit))


def bin_(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    owner = b.instance("dustbin")
    b.add(
        owner,
        shapes.cylinder(0.26 * unit, 0.75 * unit, 16),
        Look("plain", (0.25, 0.33, 0.28), shine=0.4),
        (x, y, 0.38 * unit),
    )
    b.add(owner, shapes.cylinder(0.29 * unit, 0.1 * unit, 16), Look("plain", palette.DARK), (x, y, 0.8 * unit))


def car(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    name, colour = muted(b)
    owner = b.instance(f"parked {name} car")
    paint = Look("plain", colour, shine=0.8)
    glass, tyre = Look("plain", (0.18, 0.22, 0.27), shine=0.9), Look("plain", palette.DARK, shine=0.0)
    b.add(owner, shapes.box(2.6 * unit, 1.1 * unit, 0.5 * unit), paint, (x, y, 0.5 * unit), yaw)
    b.add(owner, shapes.box(1.35 * unit, 0.98 * unit, 0.42 * unit), glass, (x, y, 0.95 * unit), yaw)
    b.add(owner, shapes.box(1.25 * unit, 1.0 * unit, 0.08 * unit), paint, (x, y, 1.18 * unit), yaw)
    for dx in (-0.8, 0.8):
        for dy in (-0.52, 0.52):
            wx, wy = turned(x, y, yaw, dx * unit, dy * unit)
            b.add(owner, shapes.cylinder(0.27 * unit, 0.16 * unit, 16), tyre, (wx, wy, 0.27 * unit), tilt=(90, 0, yaw))


def lounger(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    name, colour = muted(b)
    owner = b.instance(f"{name} sun lounger")
    look = Look("stripes", colour, 0.8 * unit, 0.0)
    b.add(owner, shapes.box(0.7 * unit, 1.3 * unit, 0.1 * unit), look, (x, y, 0.3 * unit), yaw)
    bx, by = turned(x, y, yaw, 0, 0.85 * unit)
    b.add(owner, shapes.box(0.7 * unit, 0.75 * unit, 0.08 * unit), look, (bx, by, 0.52 * unit), tilt=(38, 0, yaw))
    for dy in (-0.5, 0.5):
        lx, ly = turned(x, y, yaw, 0, dy * unit)
        b.add(
            owner,
            shapes.box(0.6 * unit, 0.08 * unit, 0.28 * unit),
            Look("plain", palette.MUTED["cream"]),
            (lx, ly, 0.14 * unit),
            yaw,
        )


def parasol(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    name, colour = muted(b)
    owner = b.instance(f"{name} parasol")
    b.add(
        owner, shapes.cylinder(0.05 * unit, 2.4 * unit, 8), Look("wood", palette.PINE, 0.5 * unit), (x, y, 1.2 * unit)
    )
    b.add(
        owner,
        shapes.cone(1.2 * unit, 0.55 * unit, 10),
        Look("stripes", colour, 2.4 * unit, 0.0),
        (x, y, 2.45 * unit),
        yaw,
    )
    b.add(
        owner, shapes.cylinder(0.3 * unit, 0.12 * unit, 12), Look("speckle", palette.MUTED["grey"]), (x, y, 0.06 * unit)
    )
