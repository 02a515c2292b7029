"""Choosing blocks: families, processes and paths dealt from shuffled decks."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

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
    """`count` blocks with seeds `seed`, `seed` + 1, ...; a longer list begins with the shorter one.

    The first seed shuffles the decks, so another first seed combines other families, paths and processes: worlds that
    nothing was tuned on are of kinds that nothing was tuned on.
    """
    choice = choice or Choice()
    families = deal("family", choice.families or FAMILIES, count, seed)
    processes = deal("process", choice.processes or PROCESSES, count, seed)
    paths = deal("path", choice.paths or [name for name, path in PATHS.items() if path.leaves], count, seed)
    return [
        Block(seed + k, *kind, choice.size, choice.frames, choice.fps)
        for k, kind in enumerate(zip(families, paths, processes, strict=True))
    ]


def deal(deck: str, names: Iterable[str], count: int, seed: int) -> list[str]:
    """`count` names, every round of the deck in a new order: each name comes equally often.

    Decks of other names are shuffled apart, so that their cards meet in all combinations.

    >>> deal("path", ["tilt", "u_turn", "vertical"], 6, seed=4)
    ['vertical', 'u_turn', 'tilt', 'vertical', 'tilt', 'u_turn']
    """
    cards = list(names)
    random = np.random.default_rng([seed, zlib.crc32(deck.encode())])
    rounds = -(-count // len(cards))
    return [cards[i] for _ in range(rounds) for i in random.permutation(len(cards))][:count]
