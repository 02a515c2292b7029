"""Scene families: each is a function of the seed that furnishes a place and returns its stage."""

from __future__ import annotations

from collections.abc import Callable

from worldgauge.blocks.families import hall, pool, room, shelf, street, yard
from worldgauge.blocks.scene import SceneBuilder, Stage

FAMILIES: dict[str, Callable[[SceneBuilder], Stage]] = {
    m.__name__.rpartition(".")[2]: m.build for m in (room, street, yard, hall, shelf, pool)
}
