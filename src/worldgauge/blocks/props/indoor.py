"""Things of rooms, halls and shelves."""

from __future__ import annotations

from worldgauge.blocks import palette, shapes
from worldgauge.blocks.props.common import muted, turned
from worldgauge.blocks.scene import Look, SceneBuilder


def table(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    owner = b.instance("wooden table")
    look = Look("wood", palette.WOOD, 0.7 * unit, 0.3)
    b.add(owner, shapes.box(1.4 * unit, 0.8 * unit, 0.06 * unit), look, (x, y, 0.75 * unit), yaw)
    for dx in (-0.6, 0.6):
        for dy in (-0.32, 0.32):
            lx, ly = turned(x, y, yaw, dx * unit, dy * unit)
            b.add(owner, shapes.box(0.07 * unit, 0.07 * unit, 0.72 * unit), look, (lx, ly, 0.36 * unit), yaw)
    _, colour = muted(b)
    b.add(
        owner,
        shapes.lathe(
            [(0, 0), (0.1 * unit, 0), (0.16 * unit, 0.2 * unit), (0.07 * unit, 0.34 * unit), (0, 0.34 * unit)]
        ),
        Look("checker", colour, 0.3 * unit, 0.5),
        (x, y, 0.78 * unit),
    )


def chair(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    owner = b.instance("chair")
    look = Look("wood", palette.PINE, 0.5 * unit)
    b.add(owner, shapes.box(0.45 * unit, 0.45 * unit, 0.05 * unit), look, (x, y, 0.45 * unit), yaw)
    bx, by = turned(x, y, yaw, 0, 0.2 * unit)
    b.add(owner, shapes.box(0.45 * unit, 0.05 * unit, 0.5 * unit), look, (bx, by, 0.72 * unit), yaw)
    for dx in (-0.19, 0.19):
        for dy in (-0.19, 0.19):
            lx, ly = turned(x, y, yaw, dx * unit, dy * unit)
            b.add(owner, shapes.box(0.05 * unit, 0.05 * unit, 0.45 * unit), look, (lx, ly, 0.22 * unit), yaw)


def sofa(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    name, colour = muted(b)
    owner = b.instance(f"{name} sofa")
    look = Look("blotches", colour, 0.5 * unit, 0.0)
    b.add(owner, shapes.box(1.9 * unit, 0.8 * unit, 0.42 * unit), look, (x, y, 0.21 * unit), yaw)
    bx, by = turned(x, y, yaw, 0, 0.32 * unit)
    b.add(owner, shapes.box(1.9 * unit, 0.2 * unit, 0.55 * unit), look, (bx, by, 0.6 * unit), yaw)
    for side in (-0.87, 0.87):
        ax, ay = turned(x, y, yaw, side * unit, 0)
        b.add(owner, shapes.box(0.2 * unit, 0.8 * unit, 0.25 * unit), look, (ax, ay, 0.54 * unit), yaw)


def bookcase(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    owner = b.instance("bookcase")
    shell, rows = Look("wood", palette.MUTED["brown"], 0.6 * unit), 4
    b.add(owner, shapes.box(1.3 * unit, 0.34 * unit, 2.0 * unit), shell, (x, y, 1.0 * unit), yaw)
    fx, fy = turned(x, y, yaw, 0, -0.15 * unit)
    for row in range(rows):
        spines = Look("books", (0.5, 0.3, 0.2 + 0.1 * row), 1.18 * unit)
        shelf = shapes.box(1.18 * unit, 0.1 * unit, 0.4 * unit)
        # One texture tile is one shelf: stretch v so that it covers the shelf's height exactly.
        mesh = shapes.Mesh(shelf.vertices, (shelf.uv / [1.18 * unit, 0.4 * unit] + 0.5) * spines.tile, shelf.faces)
        b.add(owner, mesh, spines, (fx, fy, (0.27 + 0.47 * row) * unit), yaw)


def plant(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    owner = b.instance("potted plant")
    b.add(
        owner,
        shapes.lathe([(0, 0), (0.18 * unit, 0), (0.26 * unit, 0.4 * unit), (0, 0.4 * unit)], 14),
        Look("blotches", palette.BRICK, 0.4 * unit),
        (x, y, 0),
    )
    leaf = Look("grass", (0.20, 0.42, 0.20), 0.4 * unit, 0.0)
    for k in range(6):
        angle = yaw + 60 * k
        ox, oy = turned(x, y, angle, 0.16 * unit, 0)
        b.add(owner, shapes.cone(0.1 * unit, 0.85 * unit, 6), leaf, (ox, oy, 0.75 * unit), tilt=(0, 22, angle))


def column(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    owner = b.instance("stone column")
    look, h = Look("speckle", palette.MUTED["cream"], 0.8 * unit), 4.2 * unit
    b.add(owner, shapes.cylinder(0.3 * unit, h, 18), look, (x, y, h / 2))
    for z in (0.12 * unit, h - 0.12 * unit):
        b.add(owner, shapes.box(0.85 * unit, 0.85 * unit, 0.24 * unit), look, (x, y, z), yaw)


def statue(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    owner = b.instance("statue")
    stone, base = Look("speckle", (0.7, 0.7, 0.68), 0.5 * unit), Look("brick", palette.MUTED["beige"], 0.8 * unit)
    b.add(owner, shapes.box(0.7 * unit, 0.7 * unit, 0.8 * unit), base, (x, y, 0.4 * unit), yaw)
    b.add(
        owner,
        shapes.lathe(
            [
                (0, 0),
                (0.25 * unit, 0),
                (0.13 * unit, 0.4 * unit),
                (0.26 * unit, 0.85 * unit),
                (0.08 * unit, 1.0 * unit),
                (0, 1.0 * unit),
            ]
        ),
        stone,
        (x, y, 0.8 * unit),
    )
    b.add(owner, shapes.sphere(0.15 * unit, 14), stone, (x, y, 1.95 * unit))


def vase(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    name, colour = muted(b)
    profile = [(0, 0), (0.14, 0), (0.26, 0.3), (0.22, 0.55), (0.09, 0.75), (0.14, 0.9), (0, 0.9)]
    body = shapes.lathe([(r * unit, z * unit) for r, z in profile])
    b.add(b.instance(f"{name} vase"), body, Look("checker", colour, 0.5 * unit, 0.6), (x, y, 0), yaw)


def book_row(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    owner = b.instance("row of books")
    along = 0.0
    for _ in range(5):
        thick, h = unit * b.rng.uniform(0.12, 0.22), unit * b.rng.uniform(0.8, 1.15)
        _, colour = muted(b)
        bx, by = turned(x, y, yaw, along + thick / 2 - 0.4 * unit, 0)
        b.add(
            owner,
            shapes.box(thick, 0.75 * unit, h),
            Look("stripes" if b.rng.random() < 0.4 else "blotches", colour, 0.6 * unit),
            (bx, by, h / 2),
            yaw,
        )
        along += thick * 1.03


def alarm_clock(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    owner = b.instance("alarm clock")
    b.add(
        owner,
        shapes.cylinder(0.38 * unit, 0.22 * unit, 24),
        Look("plain", palette.STEEL, shine=0.9),
        (x, y, 0.42 * unit),
        tilt=(90, 0, yaw),
    )
    fx, fy = turned(x, y, yaw, 0, -0.115 * unit)
    b.add(
        owner,
        shapes.cylinder(0.33 * unit, 0.02 * unit, 24),
        Look("plain", palette.MUTED["cream"]),
        (fx, fy, 0.42 * unit),
        tilt=(90, 0, yaw),
    )
    hx, hy = turned(x, y, yaw, 0, -0.13 * unit)
    b.add(
        owner,
        shapes.box(0.03 * unit, 0.01 * unit, 0.25 * unit),
        Look("plain", palette.DARK),
        (hx, hy, 0.52 * unit),
        yaw,
    )


def lamp_floor(b: SceneBuilder, x: float, y: float, yaw: float, unit: float) -> None:
    owner = b.instance("floor lamp")
    b.add(
        owner, shapes.cylinder(0.03 * unit, 1.6 * unit, 8), Look("plain", palette.DARK, shine=0.6), (x, y, 0.8 * unit)
    )
    b.add(
        owner, shapes.cylinder(0.2 * unit, 0.05 * unit, 16), Look("plain", palette.DARK, shine=0.6), (x, y, 0.03 * unit)
    )
    shade = shapes.lathe([(0, 0), (0.3 * unit, 0), (0.2 * unit, 0.42 * unit), (0, 0.42 * unit)], 16)
    b.add(owner, shade, Look("plain", (0.95, 0.88, 0.68), glow=0.45), (x, y, 1.55 * unit))
