"""A museum hall: chequered floor, columns, statues and pictures, high ceiling."""

from __future__ import annotations

from worldgauge.blocks import palette, props, shapes
from worldgauge.blocks.families.placing import scatter
from worldgauge.blocks.scene import Look, SceneBuilder, Stage

UNIT = 1.0
WIDTH, FRONT, BACK, HEIGHT = 15.0, 11.0, -11.0, 6.0
"""In units: wall to wall, the far wall's y, the near wall's y, ceiling."""


def build(b: SceneBuilder) -> Stage:
    depth, middle = FRONT - BACK, (FRONT + BACK) / 2
    stone = palette.MUTED[str(b.rng.choice(["cream", "beige", "teal", "rust"]))]
    b.ground(
        "marble floor", shapes.box(WIDTH, depth, 0.1), Look("checker", (0.78, 0.75, 0.70), 3.2, 0.5), (0, middle, -0.05)
    )
    walls, panel = b.instance("walls", "wall"), b.instance("wall panelling", "wall")
    plaster, boards = Look("brick", stone, 2.4, 0.0), Look("wood", palette.MUTED["brown"], 1.3)
    for yaw, x, y, span in (
        (90, WIDTH / 2, 0, depth),
        (90, -WIDTH / 2, 0, depth),
        (0, 0, FRONT, WIDTH),
        (0, 0, BACK, WIDTH),
    ):
        b.add(walls, shapes.box(span, 0.2, HEIGHT), plaster, (x, y, HEIGHT / 2), yaw)
        b.add(panel, shapes.box(span - 0.1, 0.32, 1.1), boards, (x, y, 0.55), yaw)
    b.add(b.instance("ceiling", "wall"), shapes.box(WIDTH, depth, 0.1), Look("tiles", (0.82, 0.80, 0.75), 5.0, 0.0),
          (0, middle, HEIGHT + 0.05))  # fmt: skip
    for side in (-1, 1):
        for y in (-7.5, -2.5, 2.5, 7.5):
            props.column(b, side * 5.2, y, 0, 1.35)
            _picture(b, side * (WIDTH / 2 - 0.15), y + 2.5, 90)
    for x in (-3.5, 0.0, 3.5):
        _picture(b, x, FRONT - 0.15, 0)
        _picture(b, x, BACK + 0.15, 0)
    zones = (
        (-4.6, -3.3, 2.0, 8.0, 90.0), (3.3, 4.6, 2.0, 8.0, -90.0), (-2.8, 2.8, 7.5, 9.5, 0.0),
        (-4.6, -3.3, -8.0, 0.5, 90.0), (3.3, 4.6, -8.0, 0.5, -90.0), (-2.8, 2.8, -9.5, -8.5, 180.0),
    )  # fmt: skip
    scatter(
        b,
        UNIT,
        zones,
        (props.statue, props.vase, props.bench, props.plant, props.barrel),
        int(b.rng.integers(7, 11)),
        2.0,
    )
    b.ambient(0.45, (1.0, 0.98, 0.94))
    b.sun((0.3 * b.rng.choice([-1, 1]), 0.35, -1.0), 0.55, (1.0, 0.96, 0.88))
    b.sun((0.2, -0.8, -0.5), 0.2, (0.9, 0.95, 1.0), shadow=False)
    return Stage("a museum hall with columns and a chequered floor", UNIT)


def _picture(b: SceneBuilder, x: float, y: float, yaw: float) -> None:
    owner = b.instance("framed picture", "wall")
    hues = ((0.45, 0.52, 0.38), (0.55, 0.42, 0.36), (0.40, 0.48, 0.58), (0.58, 0.52, 0.40))
    canvas = Look(str(b.rng.choice(["blotches", "grass", "checker"])), hues[b.rng.integers(4)], 1.7)
    b.add(owner, shapes.box(2.0, 0.12, 1.5), Look("wood", (0.55, 0.43, 0.2), 0.5, 0.5), (x, y, 2.7), yaw)
    b.add(owner, shapes.box(1.7, 0.2, 1.2), canvas, (x, y, 2.7), yaw)
