"""A town street: asphalt, pavements, facades on both sides, street furniture."""

from __future__ import annotations

from worldgauge.blocks import palette, props, shapes
from worldgauge.blocks.families.placing import scatter
from worldgauge.blocks.scene import Look, SceneBuilder, Stage
from worldgauge.blocks.textures import RGB

UNIT = 1.0


def build(b: SceneBuilder) -> Stage:
    b.ground("road", shapes.box(80, 80, 0.1), Look("speckle", (0.36, 0.36, 0.38), 3.0, 0.05), (0, 0, -0.05))
    kerb = b.instance("pavement", "ground")
    for x in (-7.0, 7.0):
        b.add(kerb, shapes.box(6, 60, 0.12), Look("tiles", palette.MUTED["grey"], 2.4), (x, 0, 0.06))
    lines = b.instance("road marking", "ground")
    for k in range(-6, 7):
        b.add(lines, shapes.box(0.14, 1.4, 0.006), Look("plain", (0.85, 0.85, 0.82)), (2.2, 2.6 * k, 0.003))
    colours = [*palette.MUTED.values(), palette.BRICK, palette.BRICK]
    for side in (-1, 1):
        y = -24.0
        while y < 24:
            width, height = b.rng.uniform(5, 8), b.rng.uniform(5, 9)
            _house(b, side * 12.0, y + width / 2, width, height, colours[b.rng.integers(len(colours))])
            y += width
    for y, yaw in ((25.0, 0.0), (-25.0, 180.0)):
        for x in (-8.0, 0.0, 8.0):
            _house(b, x, y, 8.0, b.rng.uniform(5, 8), colours[b.rng.integers(len(colours))], yaw)
    zones = (
        (-6.5, -4.4, 1.0, 9.0, 90.0), (4.4, 6.5, 1.0, 9.0, -90.0), (-6.5, -4.4, -9.0, 0.0, 90.0),
        (4.4, 6.5, -9.0, 0.0, -90.0), (-3.6, 3.6, 9.0, 15.0, 0.0), (-3.6, 3.6, -15.0, -9.0, 180.0),
    )  # fmt: skip
    kinds = (props.tree, props.lamp, props.bench, props.bin_, props.bollard, props.crate)
    scatter(b, UNIT, zones[:4], kinds, 11)
    scatter(b, UNIT, zones[4:], (props.car, props.bollard), 4, 3.0)
    b.sky((0.30, 0.52, 0.86), (0.78, 0.86, 0.94), b.rng.uniform(0.4, 0.6))
    b.ambient(0.40, (0.92, 0.96, 1.0))
    b.sun((0.5 * b.rng.choice([-1, 1]), 0.55, -1.0), 0.75, (1.0, 0.96, 0.88))
    return Stage("a town street with brick houses", UNIT)


def _house(b: SceneBuilder, x: float, y: float, width: float, height: float, colour: RGB, yaw: float = 90.0) -> None:
    owner = b.instance("house", "wall")
    b.add(owner, shapes.box(width, 4, height), Look("windows", colour, 4.5, 0.05), (x, y, height / 2), yaw)
    b.add(
        owner, shapes.roof(width * 1.04, 4.6, 1.8), Look("tiles", palette.MUTED["rust"], 1.2, 0.0), (x, y, height), yaw
    )
