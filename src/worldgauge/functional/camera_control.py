"""How well a camera path was followed, rotation only, after the first frames are made equal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from worldgauge.functional.pose import geodesic_deg, root_mean_square

FLOOR_DEG = 10.0
"""Least rotation an error is measured against in Eq. 7."""


@dataclass(frozen=True, eq=False)
class RotationAgreement:
    """Errors of an estimated path against the requested one, in degrees."""

    errors: NDArray[np.float64]
    """(n,) per frame; the first is 0 by alignment."""
    net_rotation: float
    """Between the first and the last requested orientation."""
    path_rotation: float
    """Summed over the requested steps: what out-and-back paths have and net rotation hides."""
    mean_step_error: float
    """Mean angle between the requested and the estimated step."""

    @property
    def rms(self) -> float:
        return root_mean_square(self.errors)


def resample_indices(reference_frames: int, frames: int) -> list[int]:
    """Which reference pose belongs to each of `frames` frames; both ends kept, halves to even. Needs two frames.

    >>> resample_indices(30, 2), resample_indices(9, 4)
    ([0, 29], [0, 3, 5, 8])
    """
    if reference_frames == frames:
        return list(range(frames))
    return [round(i * (reference_frames - 1) / (frames - 1)) for i in range(frames)]


def trace_angle_deg(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Angle between rotations by the arc cosine of the trace, as MemoBench computes it.

    Matrices that are not quite orthogonal, as float32 networks give them, read several tenths of a degree apart even
    when they turn alike; `geodesic_deg` has no such offset.
    """
    trace = np.einsum("...ij,...ij->...", np.asarray(a, np.float64), np.asarray(b, np.float64))
    return np.asarray(np.degrees(np.arccos(np.clip((trace - 1.0) / 2.0, -1.0, 1.0))))


def compare_rotations(
    estimate: ArrayLike,
    requested: ArrayLike,
    angle: Callable[[ArrayLike, ArrayLike], NDArray[np.float64]] = geodesic_deg,
) -> RotationAgreement:
    """Compare two paths (N, 4, 4) frame by frame; the longer one is cut to the shorter. Needs two frames."""
    estimate, requested = np.asarray(estimate, np.float64), np.asarray(requested, np.float64)
    count = min(len(estimate), len(requested))
    estimate, requested = estimate[:count], requested[:count]
    made, wanted = estimate[:, :3, :3], requested[:, :3, :3]
    steps_wanted = np.swapaxes(wanted[:-1], 1, 2) @ wanted[1:]
    steps_made = np.swapaxes(made[:-1], 1, 2) @ made[1:]
    return RotationAgreement(
        errors=angle(wanted[0] @ made[0].T @ made, wanted),
        net_rotation=float(angle(wanted[0], wanted[-1])),
        path_rotation=float(geodesic_deg(wanted[:-1], wanted[1:]).sum()),
        mean_step_error=float(angle(steps_wanted, steps_made).mean()),
    )


def control_score(rms_deg: float, rotation_deg: float, floor_deg: float = FLOOR_DEG) -> float:
    """Eq. 7: one minus the error as a share of the rotation, which counts as at least `floor_deg`; not below 0.

    >>> control_score(5.0, 50.0), control_score(5.0, 0.0), control_score(60.0, 50.0)
    (0.9, 0.5, 0.0)
    """
    return max(0.0, 1.0 - rms_deg / max(rotation_deg, floor_deg))


def path_control_score(rms_deg: float, path_deg: float, noise_deg: float) -> float:
    """House variant: one minus the error beyond the instrument's noise as a share of the path's length in degrees.

    The length is summed over the requested steps, so a path that comes back is not judged against a net rotation of
    zero. `path_deg` must exceed `noise_deg`: a request the instrument cannot tell from standing still judges nothing.

    >>> path_control_score(21.0, 80.0, 1.0), path_control_score(0.5, 80.0, 1.0)
    (0.75, 1.0)
    """
    return max(0.0, 1.0 - max(0.0, rms_deg - noise_deg) / path_deg)
