"""CLIP adherence: how well the frames of each chunk fit its caption."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

FRAMES_PER_CHUNK = 8


@dataclass(frozen=True)
class Adherence:
    """What CLIP says about a clip."""

    value: float | None
    """Mean over all frames of all chunks that have a caption; None where none has."""
    chunks: tuple[float | None, ...]
    """Mean of each chunk."""
    frames: int
    """Frames that counted."""


def adherence(captions: Sequence[str], similarities: Sequence[Sequence[float]]) -> Adherence:
    """`similarities`: cosine of frame and caption, chunk by chunk. A chunk without a caption does not count.

    Source: released code at commit bb2e240.

    >>> adherence(["a", ""], [[0.2, 0.4], [1.0]]).value
    0.30000000000000004
    """
    scored = [list(rows) if caption.strip() else [] for caption, rows in zip(captions, similarities, strict=True)]
    means = tuple(float(np.mean(rows)) if rows else None for rows in scored)
    flat = [value for rows in scored for value in rows]
    return Adherence(float(np.mean(flat)) if flat else None, means, len(flat))
