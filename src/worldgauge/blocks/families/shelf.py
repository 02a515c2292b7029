"""A broad wooden shelf seen from among its ornaments; everything is small."""

from __future__ import annotations

from worldgauge.blocks import palette, props, shapes
from worldgauge.blocks.families.placing import scatter
from worldgauge.blocks.scene import Look, SceneBuilder, Stage

UNIT = 0.25
WIDTH, FRONT, BACK, HEIGHT = 11.0, 7.0, -7.6, 5.2
"""In units: side board to side board, the back board's y, the front curtain's y, the next shelf above."""


def build(b: SceneBuilder) -> Stage:
    u = UNIT
    depth, middle = (FRONT - BACK) * u, (FRONT + BACK) / 2 * u
    timber = (palette.WOOD, palette.PINE, palette.MUTED["slate"])[b.rng.integers(3)]
    paper = Look(
        str(b.rng.choice(["stripes", "checker", "blotches"])),
        palette.MUTED[str(b.rng.choice(["teal", "beige", "olive"]))],
        0.55,
        0.0,
    )
    b.ground("shelf board", shapes.box(WIDTH * u, depth, 0.02), Look("wood", timber, 0.6, 0.3), (0, middle, -0.01))
    boards = b.instance("side boards", "wall")
    for x in (-WIDTH / 2, WIDTH / 2):
        b.add(
            boards, shapes.box(0.05, depth, HEIGHT * u), Look("wood", timber, 0.6, 0.2), (x * u, middle, HEIGHT * u / 2)
        )
    b.add(
        b.instance("back wall", "wall"), shapes.box(WIDTH * u, 0.04, HEIGHT * u), paper, (0, FRONT * u, HEIGHT * u / 2)
    )
    b.add(
        b.instance("curtain", "wall"),
        shapes.box(WIDTH * u, 0.04, HEIGHT * u),
        Look("stripes", palette.MUTED["rust"], 0.9, 0.0),
        (0, BACK * u, HEIGHT * u / 2),
    )
    b.add(
        b.instance("upper shelf", "wall"),
        shapes.box(WIDTH * u, depth, 0.03),
        Look("wood", timber, 0.5, 0.1),
        (0, middle, HEIGHT * u + 0.015),
    )
    zones = (
        (-4.7, -3.3, 0.5, 5.5, 90.0),
        (3.3, 4.7, 0.5, 5.5, -90.0),
        (-3.0, 3.0, 5.9, 6.4, 0.0),
        (-4.7, -3.3, -6.5, 0.0, 90.0),
        (3.3, 4.7, -6.5, 0.0, -90.0),
        (-3.0, 3.0, -7.0, -6.3, 180.0),
    )
    kinds = (props.book_row, props.book_row, props.vase, props.alarm_clock, props.plant, props.barrel, props.crate)
    scatter(b, u, zones, kinds, 16, 1.3)
    b.ambient(0.46, (1.0, 0.97, 0.92))
    b.sun((0.4 * b.rng.choice([-1, 1]), 0.6, -1.0), 0.6, (1.0, 0.93, 0.82))
    b.sun((0.3, -0.6, -0.4), 0.2, shadow=False)
    return Stage("a wooden shelf with books and ornaments", u)
