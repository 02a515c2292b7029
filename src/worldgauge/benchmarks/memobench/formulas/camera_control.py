"""Camera controllability from rotation errors: the printed equation, the released angle, and the house variant."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FLOOR_DEG = 10.0
"""Least rotation an error is measured against in Eq. 7."""


def resample_indices(reference_frames: int, frames: int) -> list[int]:
    """Which reference pose belongs to each of `frames` frames; both ends kept, halves to even. Needs two frames.

    >>> resample_indices(30, 2), resample_indices(9, 4)
    ([0, 29], [0, 3, 5, 8])
    """
    if reference_frames == frames:
        return list(range(frames))
    return [round(i * (reference_frames - 1) / (frames - 1)) for i in range(frames)]


def trace_angle_deg(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Angle between rotations by the arc cosine of the trace.

    Matrices that are not quite orthogonal, as float32 networks give them, read several tenths of a degree apart even
    when they turn alike; `geodesic_deg` has no such offset.

    Source: released code at commit f4edb0c.
    """
    trace = np.einsum("...ij,...ij->...", np.asarray(a, np.float64), np.asarray(b, np.float64))
    return np.asarray(np.degrees(np.arccos(np.clip((trace - 1.0) / 2.0, -1.0, 1.0))))


def control_score(rms_deg: float, rotation_deg: float, floor_deg: float = FLOOR_DEG) -> float:
    """One minus the error as a share of the rotation, which counts as at least `floor_deg`; not below 0.

    Source: arXiv 2606.27537, Eq. 7.

    >>> control_score(5.0, 50.0), control_score(5.0, 0.0), control_score(60.0, 50.0)
    (0.9, 0.5, 0.0)
    """
    return max(0.0, 1.0 - rms_deg / max(rotation_deg, floor_deg))


def followed_share(rms_deg: float, still_deg: float, noise_deg: float) -> float:
    """House variant: how much of the error of a camera that stands still is avoided, beyond the instrument's noise.

    `still_deg` is the root mean square rotation error a motionless camera makes on the requested path, so that one
    scores 0 on any path, also on one that comes back; so does a camera that turns the other way. It must exceed
    `noise_deg`: a request that the instrument cannot tell from standing still judges nothing.

    Source: ours.

    >>> followed_share(6.0, 21.0, 1.0), followed_share(0.5, 21.0, 1.0), followed_share(21.0, 21.0, 1.0)
    (0.75, 1.0, 0.0)
    """
    return min(1.0, max(0.0, 1.0 - max(0.0, rms_deg - noise_deg) / (still_deg - noise_deg)))
