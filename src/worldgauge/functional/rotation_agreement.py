"""How well a camera path was followed, rotation only, after the first frames are made equal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from worldgauge.functional.pose import geodesic_deg, root_mean_square


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
