"""Similarity of patch embeddings at the same place in two frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float32]
TOP_SHARE = 0.4
"""Share of patches, the most alike, that count as the object."""


@dataclass(frozen=True)
class PatchAgreement:
    """Per compared frame, over the patches most like the anchor's."""

    means: NDArray[np.float64]
    minima: NDArray[np.float64]

    @property
    def mean(self) -> float:
        return float(self.means.mean())

    @property
    def minimum(self) -> float:
        return float(self.minima.min())


def unit(vectors: ArrayLike) -> Floats:
    """Vectors (..., D) divided by their length; a zero vector stays zero.

    >>> unit([3.0, 4.0]).round(6).tolist()
    [0.6000000238418579, 0.800000011920929]
    """
    vectors = np.asarray(vectors, np.float32)
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(length, 1e-12), np.float32)


def place_similarities(anchor: ArrayLike, tokens: ArrayLike) -> Floats:
    """Cosine in [0, 1] of patch p of the anchor (P, D) with patch p of each frame (F, P, D): (F, P)."""
    cosine = np.einsum("pd,fpd->fp", unit(anchor), unit(tokens))
    return np.asarray(np.clip(cosine, 0.0, 1.0), np.float32)


def top_patch_agreement(similarities: ArrayLike, share: float = TOP_SHARE) -> PatchAgreement:
    """Mean and minimum of the `share` of largest similarities of each frame (F, P).

    Source: released code at commit f4edb0c.

    >>> agreement = top_patch_agreement([[0.0, 0.2, 0.4, 0.6, 1.0]], share=0.4)
    >>> round(agreement.mean, 6), round(agreement.minimum, 6)
    (0.8, 0.6)
    """
    similarities = np.asarray(similarities, np.float64)
    count = max(1, int(similarities.shape[1] * share))
    top = np.sort(similarities, axis=1)[:, -count:]
    return PatchAgreement(top.mean(axis=1), top[:, 0])
