"""Embeddings of frames and of the target."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.clip import Clip
from worldgauge.core.errors import Unscored
from worldgauge.core.signal import Arrays, signal
from worldgauge.core.stacks import InStacks, in_stacks
from worldgauge.functional.embedding import pool
from worldgauge.signals.tracks import object_track, unpack_masks


class EmbeddingInstrument(InStacks, Protocol):
    """What the seat `embedding` offers."""

    def embeddings(self, frames: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Unit vectors (N, h, w, d) of the patches of RGB frames (N, H, W, 3), and (N, e) of the whole frames."""


@signal(version=1, reads=("video",), seat="embedding", kept=False, cost=0.05, dense=10.0)
def patch_embeddings(clip: Clip, embedding: EmbeddingInstrument) -> Arrays:
    """Unit vectors of the patches of every frame, `grid` (N, h, w, d), and of the frames, `summary` (N, e)."""
    grids, summaries = zip(*in_stacks(embedding, embedding.embeddings, clip.frames()), strict=True)
    return {"grid": np.stack(grids), "summary": np.stack(summaries)}


@signal(version=1, reads=(), needs=(patch_embeddings(),), cost=0.001)
def frame_embeddings(patches: Arrays) -> Arrays:
    """One unit vector per frame: `vectors` (N, e)."""
    return {"vectors": patches["summary"]}


@signal(version=2, reads=(), needs=(patch_embeddings(), object_track()), cost=0.001)
def object_embeddings(patches: Arrays, track: Arrays) -> Arrays:
    """One unit vector per frame for what the target's mask covers: `vectors` (N, d), zero where it is not `visible`.

    `usable` (N,): frames that show the world."""
    grids, masks = patches["grid"], unpack_masks(track)
    if len(grids) != len(masks):
        raise Unscored(f"the target was followed over {len(masks)} frames, {len(grids)} are embedded")
    vectors = [pool(grid, mask) for grid, mask in zip(grids, masks, strict=True)]
    return {"vectors": np.stack(vectors), "visible": track["visible"], "usable": track["usable"]}
