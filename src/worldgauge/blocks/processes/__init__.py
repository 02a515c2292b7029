"""Processes: what happens to the target, whether or not anybody looks."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from worldgauge.blocks.processes import (
    absorbing,
    bouncing,
    burning,
    collision,
    conveyor,
    crossing,
    crushing,
    dissolving,
    draining,
    falling,
    foaming,
    freezing,
    inflating,
    melting,
    mixing,
    oozing,
    pendulum,
    rolling,
    standing,
    standing_marked,
    tower,
    windmill,
)
from worldgauge.blocks.processes.base import Act, Kit

Process = Callable[[Kit], Act]


def _table(*modules: ModuleType) -> dict[str, Process]:
    return {m.__name__.rpartition(".")[2]: m.build for m in modules}


MOTIONS = _table(rolling, crossing, bouncing, pendulum, windmill, falling, collision, tower, conveyor)
"""Processes in which the target moves as a whole."""
PROCESSES = MOTIONS | _table(melting, inflating, draining, mixing, burning, freezing)
"""The deck that blocks are dealt from unless processes are named. Its members and their order stay as they are: the
worlds that a seed gives follow from them."""
STATE_CHANGES = _table(dissolving, oozing, foaming, absorbing, crushing)
"""Processes that came later; a block has one when it is asked for by name."""
RESTING = _table(standing, standing_marked)
"""No process at all: the target stands still. By name only, too."""
ALL_PROCESSES = PROCESSES | STATE_CHANGES | RESTING
