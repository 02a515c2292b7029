"""How many workers a run has. On a GPU several may share it: one interpreter cannot launch networks for it and prepare
the frames of twenty clips at the same time, and networks are small beside the memory of a large GPU."""

from __future__ import annotations

import os
from collections.abc import Iterable

from worldgauge.core.instrument import Instrument

CORES, CLIPS = 4, 16
"""Of each worker that shares a GPU: fewer cores would not keep it busy, and for fewer clips loading networks once more
takes longer than it saves."""
BESIDE_NETWORKS = 8.0
"""Gigabytes of a GPU that a worker takes beside its networks: torch itself, frames, recorded kernels."""


def chosen_workers(asked: int, gpus: int, free: float, networks: Iterable[Instrument], clips: int) -> int:
    """As many as asked for; else one per core, or, with GPUs, as many as share them well.

    `free` are the gigabytes of one GPU that networks may take.
    """
    cores = os.cpu_count() or 1
    if asked or not gpus:
        return asked or cores
    taken = sum({one.name: one.memory for one in networks}.values())
    return gpus * sharing_one(cores // gpus, free, taken, clips // gpus)


def sharing_one(cores: int, free: float, networks: float, clips: int) -> int:
    """Workers for one GPU, at least one: as its share of the cores, its memory and its share of the clips allow.

    >>> sharing_one(16, 139.0, 20.0, 64), sharing_one(16, 24.0, 20.0, 64), sharing_one(16, 139.0, 20.0, 20)
    (4, 1, 1)
    """
    return max(1, min(cores // CORES, int(free // (networks + BESIDE_NETWORKS)), clips // CLIPS))
