"""A pool terrace: tiled deck, water, loungers and parasols, hedges all round."""

from __future__ import annotations

from worldgauge.blocks import palette, props, shapes
from worldgauge.blocks.families.placing import scatter
from worldgauge.blocks.scene import Look, SceneBuilder, Stage

UNIT = 0.9
SIDE = 22.0
"""Of the hedged square, in units."""


def build(b: SceneBuilder) -> Stage:
    u, side = UNIT, int(b.rng.choice([-1, 1]))
    b.ground("terrace", shapes.box(60, 60, 0.1), Look("tiles", (0.80, 0.72, 0.60), 2.2, 0.1), (0, 0, -0.05))
    water = b.instance("swimming pool", "ground")
    middle = side * 6.2 * u
    b.add(water, shapes.box(5.4 * u, 13 * u, 0.04), Look("tiles", (0.92, 0.93, 0.92), 1.2), (middle, 0, 0.02))
    b.add(
        water, shapes.box(4.8 * u, 12.4 * u, 0.05), Look("blotches", (0.25, 0.66, 0.74), 2.4, 0.9), (middle, 0, 0.025)
    )
    hedge = b.instance("hedge", "wall")
    for yaw, x, y in ((0, 0, 1), (0, 0, -1), (90, 1, 0), (90, -1, 0)):
        b.add(
            hedge,
            shapes.box(SIDE * u, 0.8 * u, 1.7 * u),
            Look("grass", (0.20, 0.38, 0.16), 1.5, 0.0),
            (x * SIDE / 2 * u, y * SIDE / 2 * u, 0.85 * u),
            yaw,
        )
    _house(b, -side * 8.6, 8.2)
    zones = (
        (-side * 6.5 - 1.2, -side * 6.5 + 2.0, 0.5, 5.5, 90.0),
        (-3.0, 3.0, 7.0, 9.5, 0.0),
        (3.6 * side, 8.5 * side, 7.3, 9.5, 0.0),
        (-side * 6.5 - 1.2, -side * 6.5 + 2.0, -8.5, 0.0, 90.0),
        (-3.0, 3.0, -9.5, -7.5, 180.0),
        (3.6 * side, 8.5 * side, -9.5, -7.3, 180.0),
    )
    kinds = (props.lounger, props.parasol, props.plant, props.bush, props.lounger, props.tree, props.table, props.bench)
    scatter(b, u, [(min(z[0], z[1]), max(z[0], z[1]), *z[2:]) for z in zones], kinds, 14, 1.9)
    b.sky((0.22, 0.47, 0.85), (0.76, 0.86, 0.95), b.rng.uniform(0.25, 0.5))
    b.ambient(0.42, (0.95, 0.98, 1.0))
    b.sun((0.5 * b.rng.choice([-1, 1]), 0.45, -1.0), 0.75, (1.0, 0.97, 0.90))
    return Stage("a terrace beside a swimming pool", u)


def _house(b: SceneBuilder, x: float, y: float) -> None:
    u, owner = UNIT, b.instance("pool house")
    b.add(
        owner,
        shapes.box(3.6 * u, 2.6 * u, 2.4 * u),
        Look("brick", palette.MUTED["cream"], 1.4),
        (x * u, y * u, 1.2 * u),
    )
    b.add(
        owner, shapes.roof(4.1 * u, 3.2 * u, 1.1 * u), Look("tiles", palette.BRICK, 1.0, 0.0), (x * u, y * u, 2.4 * u)
    )
    b.add(
        owner,
        shapes.box(0.8 * u, 0.1, 1.7 * u),
        Look("wood", palette.MUTED["teal"], 0.8),
        (x * u, (y - 1.3) * u, 0.85 * u),
    )
