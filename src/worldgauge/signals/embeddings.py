"""Embeddings of frames and of the target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.clip import Clip
from worldgauge.core.errors import Unscored
from worldgauge.core.signal import Arrays, signal
from worldgauge.core.stacks import InStacks, rows_in_stacks
from worldgauge.functional.embedding import pool
from worldgauge.signals.tracks import object_track, unpack_masks


class EmbeddingInstrument(InStacks, Protocol):
    """What the seat `embedding` offers."""

    def embeddings(self, frames: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Unit vectors (N, h, w, d) of the patches of RGB frames (N, H, W, 3), and (N, e) of the whole frames."""


@signal(version=1, reads=("video",), seat="embedding", kept=False, cost=0.05, dense=5.8)
def patch_embeddings(clip: Clip, embedding: EmbeddingInstrument) -> Iterator[Arrays]:
    """Frame by frame unit vectors of the patches, `grid` (1, h, w, d), and of the frame, `summary` (1, e)."""
    for grid, summary in rows_in_stacks(embedding, embedding.embeddings, clip.frames()):
        yield {"grid": grid[None], "summary": summary[None]}


@signal(version=1, reads=(), needs=(patch_embeddings(),), cost=0.001)
def frame_embeddings(patches: Iterable[Arrays]) -> Arrays:
    """One unit vector per frame: `vectors` (N, e)."""
    return {"vectors": np.concatenate([stack["summary"] for stack in patches])}


@signal(version=2, reads=(), needs=(patch_embeddings(), object_track()), cost=0.001)
def object_embeddings(patches: Iterable[Arrays], track: Arrays) -> Arrays:
    """One unit vector per frame for what the target's mask covers: `vectors` (N, d), zero where it is not `visible`.

    `usable` (N,): frames that show the world."""
    vectors = pooled(patches, unpack_masks(track))
    return {"vectors": vectors, "visible": track["visible"], "usable": track["usable"]}


def pooled(patches: Iterable[Arrays], masks: Iterable[NDArray[np.bool_]]) -> NDArray[np.float32]:
    """(N, d): the patches of each frame under the mask of that frame; the grids of a clip are never there together."""
    under = list(masks)
    vectors = [pool(grid, mask) for grid, mask in zip(_grids(patches), [*under, None], strict=False)]
    if len(vectors) != len(under):
        raise Unscored(f"the target was followed over {len(under)} frames, another number is embedded")
    return np.stack(vectors)


def _grids(patches: Iterable[Arrays]) -> Iterator[NDArray[np.float32]]:
    for stack in patches:
        yield from stack["grid"]
