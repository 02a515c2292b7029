"""A garden yard: grass, a board fence all round, trees and garden things."""

from __future__ import annotations

from worldgauge.blocks import palette, props, shapes
from worldgauge.blocks.families.placing import scatter
from worldgauge.blocks.scene import Look, SceneBuilder, Stage

UNIT = 0.9
SIDE = 20.0
"""Of the fenced square, in units."""


def build(b: SceneBuilder) -> Stage:
    u = UNIT
    b.ground("lawn", shapes.box(70, 70, 0.1), Look("grass", (0.34, 0.52, 0.20), 2.6, 0.0), (0, 0, -0.05))
    b.add(
        b.instance("stone path", "ground"),
        shapes.box(1.7 * u, SIDE * u, 0.01),
        Look("brick", palette.MUTED["beige"], 1.6),
        (2.6 * u, 0, 0.005),
    )
    fence = b.instance("board fence", "wall")
    boards = Look("wood", palette.PINE, 1.2)
    for yaw, x, y in ((0, 0, 1), (0, 0, -1), (90, 1, 0), (90, -1, 0)):
        # Boards stand upright: the wood grain of the texture runs along u, so the panel is turned on its side.
        panel = shapes.box(SIDE * u, 0.08, 1.9 * u)
        upright = shapes.Mesh(panel.vertices, panel.uv[:, ::-1], panel.faces)
        b.add(fence, upright, boards, (x * SIDE / 2 * u, y * SIDE / 2 * u, 0.95 * u), yaw)
    _shed(b, -6.5, 7.2, 25)
    _shed(b, 6.8, -7.0, 200)
    zones = (
        (-7.5, -3.4, 1.0, 5.5, 90.0),
        (4.0, 7.5, 1.0, 8.5, -90.0),
        (-3.0, 3.0, 6.5, 8.8, 0.0),
        (-7.5, -3.4, -8.5, 0.5, 90.0),
        (4.0, 7.5, -5.0, 0.5, -90.0),
        (-3.0, 3.0, -9.0, -7.5, 180.0),
    )
    kinds = (props.tree, props.fir, props.bush, props.barrel, props.bench, props.crate, props.plant, props.statue)
    scatter(b, u, zones, kinds, 15, 1.8)
    b.sky((0.28, 0.50, 0.84), (0.80, 0.87, 0.93), b.rng.uniform(0.35, 0.6))
    b.ambient(0.40, (0.95, 0.98, 1.0))
    b.sun((0.45 * b.rng.choice([-1, 1]), 0.6, -1.0), 0.75, (1.0, 0.95, 0.85))
    return Stage("a fenced garden with a lawn", u)


def _shed(b: SceneBuilder, x: float, y: float, yaw: float) -> None:
    u, owner = UNIT, b.instance("garden shed")
    b.add(
        owner, shapes.box(2.6 * u, 2.0 * u, 2.0 * u), Look("wood", palette.MUTED["rust"], 1.1), (x * u, y * u, u), yaw
    )
    b.add(
        owner,
        shapes.roof(2.9 * u, 2.4 * u, 0.9 * u),
        Look("tiles", palette.MUTED["slate"], 0.9),
        (x * u, y * u, 2 * u),
        yaw,
    )
