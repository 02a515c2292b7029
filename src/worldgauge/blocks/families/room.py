"""A living room: four walls, ceiling, furniture along the walls."""

from __future__ import annotations

from worldgauge.blocks import palette, props, shapes
from worldgauge.blocks.families.placing import scatter
from worldgauge.blocks.scene import Look, SceneBuilder, Stage

UNIT = 0.6
WIDTH, FRONT, BACK, HEIGHT = 9.0, 7.2, -8.0, 4.8
"""In units: wall to wall, the far wall's y, the near wall's y, ceiling."""


def build(b: SceneBuilder) -> Stage:
    u, wall_name = UNIT, str(b.rng.choice(["brick", "plain", "tiles"]))
    depth, middle = (FRONT - BACK) * u, (FRONT + BACK) / 2 * u
    b.ground("floor", shapes.box(WIDTH * u, depth, 0.1), Look("wood", palette.WOOD, 1.1, 0.25), (0, middle, -0.05))
    papers = {
        "brick": Look("brick", palette.BRICK, 1.2),
        "plain": Look("plain", palette.MUTED["cream"]),
        "tiles": Look("tiles", palette.MUTED["teal"], 1.6),
    }
    walls = b.instance("walls", "wall")
    far, side = papers[wall_name], Look("stripes", palette.MUTED["beige"], 2.2, 0.0)
    for x in (-WIDTH / 2, WIDTH / 2):
        b.add(walls, shapes.box(0.1, depth, HEIGHT * u), side, (x * u, middle, HEIGHT * u / 2))
    for y in (FRONT, BACK):
        b.add(walls, shapes.box(WIDTH * u, 0.1, HEIGHT * u), far, (0, y * u, HEIGHT * u / 2))
    b.add(b.instance("ceiling", "wall"), shapes.box(WIDTH * u, depth, 0.1), Look("tiles", (0.85, 0.85, 0.83), 2.0, 0.0),
          (0, middle, HEIGHT * u + 0.05))  # fmt: skip
    _picture(b, 0.0, FRONT - 0.15, 0)
    _picture(b, 1.5, BACK + 0.15, 180)
    zones = (
        (-4.0, -3.3, 1.0, 5.5, 90.0), (3.3, 4.0, 1.0, 5.5, -90.0), (-2.6, 2.6, 6.3, 6.7, 0.0),
        (-4.0, -3.3, -7.0, 0.5, 90.0), (3.3, 4.0, -7.0, 0.5, -90.0), (-2.6, 2.6, -7.4, -7.0, 180.0),
    )  # fmt: skip
    scatter(
        b,
        u,
        zones,
        (props.bookcase, props.sofa, props.table, props.chair, props.plant, props.vase, props.lamp_floor),
        13,
        1.9,
    )
    b.ambient(0.42)
    b.sun((0.35, 0.5, -1.0), 0.55, (1.0, 0.95, 0.85))
    b.sun((-0.6, 0.4, -0.5), 0.25, (0.85, 0.9, 1.0), shadow=False)
    return Stage(f"a living room with {'brick' if wall_name == 'brick' else 'papered'} walls", u)


def _picture(b: SceneBuilder, x: float, y: float, yaw: float) -> None:
    u, owner = UNIT, b.instance("framed picture")
    b.add(
        owner,
        shapes.box(1.9 * u, 0.06, 1.3 * u),
        Look("wood", palette.MUTED["brown"], 0.5),
        (x * u, y * u, 2.7 * u),
        yaw,
    )
    inward = -0.03 if yaw == 0 else 0.03
    b.add(
        owner,
        shapes.box(1.6 * u, 0.04, 1.0 * u),
        Look("blotches", (0.45, 0.55, 0.6), 0.8),
        (x * u, y * u + inward, 2.7 * u),
        yaw,
    )
