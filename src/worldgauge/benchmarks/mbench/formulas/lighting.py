"""Light and colour of a place when one comes back to it: CIELAB means of segments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LabRange = Literal["cielab", "eight_bit"]
Frames = Sequence[int] | range

_LEVELS = np.arange(256) / 255
_LINEAR = np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4).astype(np.float32)
"""sRGB level to linear light."""
_PRIMARIES = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_TO_XYZ = (_PRIMARIES / _PRIMARIES.sum(axis=1, keepdims=True)).T.astype(np.float32)
"""Linear RGB to X, Y and Z, each divided by that of the white point."""


def lab_mean(image: NDArray[np.uint8]) -> Floats:
    """Mean L* (0 to 100), a* and b* over the pixels of an sRGB picture (H, W, 3), (3,).

    >>> lab_mean(np.full((2, 2, 3), 255, np.uint8)).round(2).tolist()
    [100.0, 0.0, 0.0]
    """
    # OpenCV's conversion interpolates in tables and is off by a tenth.
    scaled = _LINEAR[image].reshape(-1, 3) @ _TO_XYZ
    root = np.where(
        scaled > (6 / 29) ** 3, np.cbrt(scaled), scaled * np.float32((29 / 6) ** 2 / 3) + np.float32(4 / 29)
    )
    x, y, z = root.mean(axis=0, dtype=np.float64)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def lighting_difference(
    means: Floats, pairs: Sequence[tuple[Frames, Frames]], *, alpha: float = 0.5, lab: LabRange = "cielab"
) -> Floats:
    """alpha |dL| + (1 - alpha) |d(a, b)| between the segments of each pair, (P,), from the frames' means (N, 3).

    `eight_bit`: L* stretched to 0..255, as 8-bit pictures hold it.

    Source: MBench, Eq. 11.

    >>> still, brighter = np.tile([50.0, 0, 0], (4, 1)), np.repeat([[50.0, 0, 0], [60, 3, 4]], 2, axis=0)
    >>> segments = [(range(2), range(2, 4))]
    >>> lighting_difference(still, segments).tolist(), lighting_difference(brighter, segments).tolist()
    ([0.0], [7.5])
    """
    scale = np.array([1.0 if lab == "cielab" else 2.55, 1.0, 1.0])
    apart = np.array([(means[list(i)].mean(0) - means[list(j)].mean(0)) * scale for i, j in pairs]).reshape(-1, 3)
    return np.asarray(alpha * np.abs(apart[:, 0]) + (1 - alpha) * np.linalg.norm(apart[:, 1:], axis=1))


def lighting_score(differences: Floats, *, tau: float = 10.0) -> float:
    """exp(-D / tau), D the mean of the pairs' differences.

    Source: MBench, Eq. 12.

    >>> lighting_score(np.array([0.0]))
    1.0
    """
    return float(np.exp(-differences.mean() / tau))


def mirrored_segments(count: int, segments: int = 5) -> list[tuple[range, range]]:
    """Segments of a clip and those as far from its end: first and last, second and last but one.

    >>> mirrored_segments(10, 5)
    [(range(0, 2), range(8, 10)), (range(2, 4), range(6, 8))]
    """
    from worldgauge.benchmarks.mbench.formulas.pairs import segment_frames

    parts = segment_frames(count, segments)
    pairs = [(parts[k], parts[segments - 1 - k]) for k in range(segments // 2)]
    return [(first, last) for first, last in pairs if first and last]


def runs_of_pairs(pairs: Sequence[tuple[int, int]], runs: int = 4) -> list[tuple[list[int], list[int]]]:
    """Pairs of frames grouped into runs of neighbours on the way out, each with its frames of the way back.

    >>> runs_of_pairs([(2, 7), (0, 9), (1, 8), (3, 6)], runs=2)
    [([0, 1], [9, 8]), ([2, 3], [7, 6])]
    """
    ordered = sorted(pairs)
    parts = [part for part in np.array_split(np.arange(len(ordered)), runs) if len(part)]
    return [([ordered[k][0] for k in part], [ordered[k][1] for k in part]) for part in parts]
