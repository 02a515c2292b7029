"""What the target is painted with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks.faults.base import Given
from worldgauge.blocks.timeline import Timeline

_SIDE = 8
"""Pixels of a surface that are kept on each side."""


def texture_of(model: Any, material: int) -> int:
    """Colour texture of a material, -1 without one."""
    from worldgauge.blocks.gl import load_mujoco

    return int(model.mat_texid[material, load_mujoco().mjtTextureRole.mjTEXROLE_RGB]) if material >= 0 else -1


def texture_image(model: Any, texture: int) -> NDArray[np.uint8]:
    """(side, side, 3)"""
    start, side, other = (getattr(model, f"tex_{name}")[texture] for name in ("adr", "height", "width"))
    return np.array(model.tex_data[start : start + side * other * 3]).reshape(side, other, 3)


def surface_of(
    given: Given, timeline: Timeline, frame: int, painted: Mapping[int, NDArray[np.uint8]]
) -> NDArray[np.float32]:
    """(D,) the textures and tints of the target's parts in a frame, coarsely; 0 is middle grey.

    `painted` are textures that look different from the model's own.
    """
    model, parts = given.world.scene.model, []
    for geom in given.target:
        tint = timeline.rgba[frame, geom, :3].astype(np.float64)
        texture = texture_of(model, int(timeline.material[frame, geom]))
        if texture < 0:
            parts.append(np.broadcast_to(tint, (_SIDE, _SIDE, 3)) - 0.5)
            continue
        image = painted.get(texture, texture_image(model, texture)) / 255.0
        coarse = image[: image.shape[0] // _SIDE * _SIDE, : image.shape[1] // _SIDE * _SIDE]
        coarse = coarse.reshape(_SIDE, image.shape[0] // _SIDE, _SIDE, image.shape[1] // _SIDE, 3).mean((1, 3))
        parts.append(coarse * tint - 0.5)
    return np.stack(parts).ravel().astype(np.float32)
