"""What hides the target while the camera stands still: a screen that is pushed in front of it, or the dark."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks import palette, shapes
from worldgauge.blocks.paths import Path
from worldgauge.blocks.processes.base import Act, Floats, Kit, Mover, shift
from worldgauge.blocks.scene import Look, Scene, Stage
from worldgauge.blocks.timeline import Timeline

SCREEN = "tall screen"
DARK = 0.1
"""With less than this share of the light nothing can be told any more."""
_NEARNESS = 0.4
"""Of the way from the target to the observer: where the screen passes."""
_REACH = 3.6
"""Units to either side at which the screen starts and ends: out of view."""


def add_screen(kit: Kit, act: Act, stage: Stage) -> tuple[Mover, ...]:
    """A tall screen on a board, pushed in front of where the observer looks; returns what moves it."""
    u, b, way = kit.unit, kit.b, kit.direction()
    owner = b.instance(SCREEN, "bystander")
    x, y = act.aim[0] * (1 - _NEARNESS), -stage.distance * u * _NEARNESS
    parts = (
        b.add(owner, shapes.box(2.7 * u, 0.06 * u, 2.3 * u), Look("tiles", palette.MUTED["slate"], 0.8 * u),
              (x, y, 1.25 * u)),
        b.add(owner, shapes.box(2.9 * u, 0.4 * u, 0.1 * u), Look("wood", palette.WOOD, 0.6 * u), (x, y, 0.05 * u)),
    )  # fmt: skip

    def push(t: float) -> Floats:
        share = t / kit.duration
        there = np.clip((share - 0.08) / 0.28, 0, 1) + np.clip((share - 0.64) / 0.28, 0, 1) - 1.0
        return shift(way * _REACH * u * float(there))

    return (Mover(parts, push),)


def moved_by_script(scene: Scene) -> tuple[int, ...]:
    """Geoms of the screen, where there is one."""
    return tuple(geom for instance in scene.instances if instance.name == SCREEN for geom in instance.geoms)


def seen_target(scene: Scene, timeline: Timeline, frame: int, geoms: NDArray[np.int16]) -> NDArray[np.bool_]:
    """(H, W) where the target is seen, from the geom ids of a frame; nowhere in the dark."""
    seen = np.isin(geoms, scene.target.geoms)
    return seen if timeline.light is None or timeline.light[frame] >= DARK else np.zeros_like(seen)


def light_of(path: Path, frames: int) -> NDArray[np.float64] | None:
    """(N,) share of the light that is left at each frame; `None` where it stays as it is."""
    if path.light is None:
        return None
    return np.array([path.light(float(t)) for t in np.linspace(0, 1, frames)])
