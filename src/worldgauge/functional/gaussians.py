"""Gaussians of a scene, as arrays: where they are, how large, how they are turned, and their colour by direction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats32 = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Gaussians:
    """G of them, in the units of the scene."""

    means: Floats32
    """(G, 3)"""
    quaternions: Floats32
    """(G, 4) w, x, y, z; of any length but 0."""
    scales: Floats32
    """(G, 3) standard deviations along their own axes."""
    opacities: Floats32
    """(G,) 0 to 1."""
    harmonics: Floats32
    """(G, K, 3) coefficients of spherical harmonics, K = 1, 4, 9 or 16, for red, green and blue; a colour is their sum
    plus a half, not below 0."""
    frame: NDArray[np.int64] | None = None
    """(G,) which frame each was seen in, where that is known."""

    def __len__(self) -> int:
        return len(self.means)

    def only(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> Gaussians:
        """Some of them."""
        return Gaussians(
            self.means[chosen],
            self.quaternions[chosen],
            self.scales[chosen],
            self.opacities[chosen],
            self.harmonics[chosen],
            None if self.frame is None else self.frame[chosen],
        )

    def problem(self) -> str:
        """What is wrong with their shapes and numbers; empty where nothing is."""
        count = len(self.means)
        wanted = {"means": (count, 3), "quaternions": (count, 4), "scales": (count, 3), "opacities": (count,)}
        for name, shape in wanted.items():
            if getattr(self, name).shape != shape:
                return f"{name} must be {shape}, not {getattr(self, name).shape}"
        if self.harmonics.ndim != 3 or self.harmonics.shape[::2] != (count, 3) or self.degree is None:
            return f"harmonics must be (G, 1, 4, 9 or 16, 3), not {self.harmonics.shape}"
        if self.frame is not None and self.frame.shape != (count,):
            return f"frame must be {(count,)}, not {self.frame.shape}"
        if not all(np.isfinite(getattr(self, name)).all() for name in (*wanted, "harmonics")):
            return "not all numbers are finite"
        return ""

    @property
    def degree(self) -> int | None:
        """Of the spherical harmonics; None where there are not as many as any degree has."""
        return {1: 0, 4: 1, 9: 2, 16: 3}.get(self.harmonics.shape[1])
