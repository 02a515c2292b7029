"""What a camera path does, told from the camera file: the rows of Table S2.

The paper gives no rule. This one looks at where the camera points and stands relative to its first frame: a U-turn
faces backwards at some time; a vertical path tilts, or rises, more than it turns or walks; a head turn stays in place;
the rest goes forward.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from worldgauge.core.cameras import CameraPath
from worldgauge.functional.pose import Floats, relative

SyntheticKind = Literal["u-turn", "forward", "head turn", "vertical"]
BACKWARDS_DEG = 150.0
"""A camera that points at least so far away from its start has turned round."""
TILT_DEG = 10.0
"""Less tilt than this is unsteadiness."""
IN_PLACE = 50.0
"""World units within which a standing observer's head stays: half a metre in the engine's centimetres."""


@dataclass(frozen=True)
class Sweep:
    """How a path turns and moves, seen from its first camera."""

    yaw: Floats
    """Degrees to the right, continuous, per frame."""
    pitch: Floats
    """Degrees upwards, per frame."""
    place: Floats
    """(N, 3): right, down, forward."""

    @property
    def rise(self) -> float:
        return float(np.ptp(self.place[:, 1]))

    @property
    def walk(self) -> float:
        """Largest distance from the start along the ground."""
        return float(np.linalg.norm(self.place[:, [0, 2]], axis=1).max())


def swept(path: CameraPath) -> Sweep:
    """Yaw, pitch and place of every camera, in the first one's axes."""
    moved = relative(path.poses[0], path.poses)
    ahead = moved[:, :3, 2]
    yaw = np.degrees(np.unwrap(np.arctan2(ahead[:, 0], ahead[:, 2])))
    pitch = np.degrees(np.arctan2(-ahead[:, 1], np.hypot(ahead[:, 0], ahead[:, 2])))
    return Sweep(yaw, pitch, moved[:, :3, 3])


def synthetic_kind(path: CameraPath, in_place: float = IN_PLACE) -> SyntheticKind:
    """The kind of a rendered clip's path."""
    found = swept(path)
    turn, tilt = float(np.ptp(found.yaw)), float(np.ptp(found.pitch))
    if np.abs(found.yaw).max() >= BACKWARDS_DEG:
        return "u-turn"
    if (tilt >= TILT_DEG and tilt > turn) or (found.rise > in_place and found.rise > found.walk and turn < TILT_DEG):
        return "vertical"
    return "head turn" if np.linalg.norm(found.place, axis=1).max() <= in_place else "forward"


def real_kind(path: CameraPath) -> str:
    """The kind of a filmed clip's path by where it points when it is farthest from its start, as `pan left`."""
    found = swept(path)
    if np.ptp(found.yaw) >= np.ptp(found.pitch):
        return "pan right" if found.yaw[np.abs(found.yaw).argmax()] > 0 else "pan left"
    return "tilt up" if found.pitch[np.abs(found.pitch).argmax()] > 0 else "tilt down"
