"""Processes: what happens to the target, whether or not anybody looks."""

from __future__ import annotations

from collections.abc import Callable

from worldgauge.blocks.processes import (
    bouncing,
    burning,
    collision,
    conveyor,
    crossing,
    draining,
    falling,
    freezing,
    inflating,
    melting,
    mixing,
    pendulum,
    rolling,
    tower,
    windmill,
)
from worldgauge.blocks.processes.base import Act, Kit

_MODULES = (
    rolling, crossing, bouncing, pendulum, windmill, falling, collision, tower, conveyor,
    melting, inflating, draining, mixing, burning, freezing,
)  # fmt: skip
PROCESSES: dict[str, Callable[[Kit], Act]] = {m.__name__.rpartition(".")[2]: m.build for m in _MODULES}
