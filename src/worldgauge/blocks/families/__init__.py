"""Scene families: each is a function of the seed that furnishes a place and returns its stage."""

from __future__ import annotations

from collections.abc import Callable

from worldgauge.blocks.families import room, street, yard
from worldgauge.blocks.scene import SceneBuilder, Stage

FAMILIES: dict[str, Callable[[SceneBuilder], Stage]] = {
    "room": room.build,
    "street": street.build,
    "yard": yard.build,
}
