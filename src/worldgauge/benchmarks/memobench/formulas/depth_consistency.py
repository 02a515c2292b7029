"""How alike consecutive depth maps are, after each is brought to its own range."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from worldgauge.benchmarks.memobench.formulas.patches import unit


def shape_vector(depth: ArrayLike) -> NDArray[np.float32]:
    """A depth map (H, W) stretched to [0, 1], as one vector of length one; a constant map gives the zero vector."""
    depth = np.asarray(depth, np.float32)
    stretched = (depth - depth.min()) / (depth.max() - depth.min() + np.float32(1e-8))
    return unit(stretched.ravel())


def depth_similarity(first: ArrayLike, second: ArrayLike) -> float:
    """Cosine in [0, 1] of two depth maps of one size.

    Source: released code at commit f4edb0c.

    >>> ramp = np.arange(6.0).reshape(2, 3)
    >>> round(depth_similarity(ramp, 10 * ramp + 3), 6), depth_similarity(np.ones((2, 3)), ramp)
    (1.0, 0.0)
    """
    return float(np.clip(shape_vector(first) @ shape_vector(second), 0.0, 1.0))


def phase_consistency(similarities: Sequence[float]) -> tuple[float, float]:
    """Mean and minimum over the consecutive pairs of a phase."""
    return float(np.mean(similarities)), float(np.min(similarities))


def released_geometry(visible: Sequence[float], back: Sequence[float]) -> tuple[float, float]:
    """Mean and minimum over both phases with the released rounding; a phase without a pair counts as 0.

    >>> released_geometry([0.9, 0.8], [])
    (0.425, 0.0)
    """
    phases = [phase_consistency(s) if s else (0.0, 0.0) for s in (visible, back)]
    means = [round(mean, 4) for mean, _ in phases]
    return round((means[0] + means[1]) / 2, 4), min(round(low, 4) for _, low in phases)
