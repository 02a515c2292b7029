"""Choosing blocks: a spread of families, processes and paths from a few numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from worldgauge.blocks.block import Block
from worldgauge.blocks.families import FAMILIES
from worldgauge.blocks.paths import PATHS
from worldgauge.blocks.processes import PROCESSES


@dataclass(frozen=True)
class Choice:
    """What may be combined; an empty list means all. Away-and-back paths only, unless `paths` names others."""

    families: Sequence[str] = ()
    processes: Sequence[str] = ()
    paths: Sequence[str] = ()
    size: tuple[int, int] = (320, 180)
    frames: int = 81
    fps: float = 16.0


def choose_blocks(count: int, seed: int = 0, choice: Choice | None = None) -> list[Block]:
    """`count` blocks with seeds `seed`, `seed` + 1, ...

    Families, processes and paths advance together at different rates, so a short list already shows every family and
    as many processes and paths as it can.
    """
    choice = choice or Choice()
    families, processes = list(choice.families or FAMILIES), list(choice.processes or PROCESSES)
    paths = list(choice.paths or [name for name, path in PATHS.items() if path.leaves])
    return [
        Block(
            seed + k, families[k % len(families)], paths[(k + k // len(paths)) % len(paths)],
            processes[(k + k // len(processes)) % len(processes)], choice.size, choice.frames, choice.fps,
        )
        for k in range(count)
    ]  # fmt: skip
