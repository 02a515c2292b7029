"""What every prop needs: the type of its function, turned offsets, a muted colour."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from worldgauge.blocks import palette
from worldgauge.blocks.scene import SceneBuilder
from worldgauge.blocks.textures import RGB

Prop = Callable[[SceneBuilder, float, float, float, float], None]
"""builder, x, y, yaw, unit"""


def turned(x: float, y: float, yaw: float, dx: float, dy: float) -> tuple[float, float]:
    """(x, y) plus an offset in the prop's own axes, which are turned by `yaw` degrees."""
    c, s = np.cos(np.radians(yaw)), np.sin(np.radians(yaw))
    return x + c * dx - s * dy, y + s * dx + c * dy


def muted(b: SceneBuilder) -> tuple[str, RGB]:
    """A colour that no target has, with its name."""
    name = str(b.rng.choice(list(palette.MUTED)))
    return name, palette.MUTED[name]
