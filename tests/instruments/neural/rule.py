"""Checkpoints and pictures made of their names: the same bits on every machine, so none has to be stored.

Whoever runs the authors' code on such a checkpoint gets numbers that an implementation of one's own must give too.
"""

from __future__ import annotations

import hashlib
import math

import numpy as np
from numpy.typing import NDArray

TABLES = (
    "pos_embed",
    "cls_token",
    "mask_token",
    "class_embedding",
    "positional_embedding",
    "ctx",
    "token_embedding.weight",
    "word_embeddings.weight",
    "position_embeddings.weight",
)
"""Endings of the names of tokens and of what is added to them."""
FROM_THE_RIGHT = ("proj", "text_projection")
"""Bare matrices whose first axis is the input."""
LATTICE = 64
"""Side of the lattice of random bytes behind a texture, which repeats beyond it."""


def words(key: str, count: int) -> NDArray[np.uint64]:
    """Random 64-bit numbers that belong to a key."""
    seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "little")
    return np.random.PCG64(seed).random_raw(count)


def noise(key: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Uniform numbers of mean 0 and variance 1."""
    share = (words(key, math.prod(shape)) >> np.uint64(11)).astype(np.float64) / 2**53
    return (share.reshape(shape) - 0.5) * math.sqrt(12)


def fill(
    name: str,
    shape: tuple[int, ...],
    salt: str,
    gain: float = 1.0,
    table: float = 0.2,
    alias: tuple[str, str] | None = None,
) -> NDArray[np.float32] | NDArray[np.int64]:
    """The values of one entry of a checkpoint, neither vanishing nor growing from layer to layer.

    `alias` replaces a part of names under which files store a parameter a second time.
    """
    kind = name.split(".")[-1]
    match kind:
        case "num_batches_tracked":
            return np.zeros(shape, np.int64)
        case "position_ids":
            return np.arange(math.prod(shape), dtype=np.int64).reshape(shape)
        case "logit_scale":
            return np.full(shape, math.log(100), np.float32)
    values = noise(f"{salt}:{name.replace(*alias) if alias else name}", shape)
    if kind == "running_mean":
        values *= 0.05
    elif kind == "running_var":
        values = 1 + 0.2 * np.abs(values)
    elif name.endswith(TABLES):
        values *= table
    elif kind.endswith("bias"):
        values *= 0.02
    elif name.startswith("lin") and len(shape) == 4 and shape[0] == 1:
        values = 0.5 * np.abs(values)
    elif len(shape) < 2:
        values = 1 + 0.1 * values
    else:
        inputs = shape[0] if kind in FROM_THE_RIGHT else math.prod(shape[1:])
        values *= gain / math.sqrt(inputs)
    return values.astype(np.float32)


def image(key: str, height: int, width: int, dy: int = 0, dx: int = 0) -> NDArray[np.uint8]:
    """An RGB texture of three grains in whole numbers; (dy, dx) moves it up and to the left by so many pixels."""
    grains = ((32, 4), (8, 3), (3, 1))
    channels = [
        sum(weight * _grain(f"image:{key}:{channel}:{cell}", cell, height, width, dy, dx) for cell, weight in grains)
        // 8
        for channel in range(3)
    ]
    return np.stack(channels, -1).astype(np.uint8)


def _grain(key: str, cell: int, height: int, width: int, dy: int, dx: int) -> NDArray[np.int64]:
    """A lattice of random bytes `cell` px apart, filled in between."""
    lattice = (words(key, LATTICE**2) >> np.uint64(56)).astype(np.int64).reshape(LATTICE, LATTICE)
    row, below = np.divmod(np.arange(dy, dy + height), cell)
    column, beside = np.divmod(np.arange(dx, dx + width), cell)

    def across(rows: NDArray[np.int64]) -> NDArray[np.int64]:
        left, right = lattice[rows % LATTICE][:, column % LATTICE], lattice[rows % LATTICE][:, (column + 1) % LATTICE]
        return left * (cell - beside) + right * beside

    return (across(row) * (cell - below)[:, None] + across(row + 1) * below[:, None]) // cell**2


def positions(size: int, count: int = 64) -> NDArray[np.int64]:
    """Places of a flattened output of `size` numbers that are stored."""
    return (17 + np.arange(count) * 1_000_003) % size
