"""Timed verbs as camera poses, for models that are driven by poses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldolympiad.inputs.actions import IDLE
from worldgauge.core.errors import WorldGaugeError

Floats = NDArray[np.float64]
_WALKS = {"forward": (0, 1), "backward": (0, -1), "left": (-1, 0), "right": (1, 0)}
"""Verb to right and ahead."""
_TURNS = {"camera_l": -1, "camera_r": 1}


@dataclass(frozen=True)
class Motion:
    """What a camera does from one frame to the next."""

    right: float = 0.0
    ahead: float = 0.0
    degrees: float = 0.0
    """To the right."""

    def matrix(self) -> Floats:
        """The next camera in the frame of the present one, (4, 4), OpenCV axes."""
        found, yaw = np.eye(4), math.radians(self.degrees)
        found[0, 0] = found[2, 2] = math.cos(yaw)
        found[0, 2], found[2, 0] = math.sin(yaw), -math.sin(yaw)
        found[:3, 3] = self.right, 0.0, self.ahead
        return found


def motion_of(verbs: Sequence[str], forward: float, turn: float) -> Motion:
    """The motion of verbs that are held together; two directions at once are as fast as one.

    >>> motion_of(["forward"], 0.1, 1.0), motion_of(["idle"], 0.1, 1.0).ahead
    (Motion(right=0.0, ahead=0.1, degrees=0.0), 0.0)
    """
    right = ahead = degrees = 0.0
    for verb in verbs:
        if verb in _TURNS:
            degrees += turn * _TURNS[verb]
            continue
        parts = () if verb == IDLE else verb.split("_")
        if any(part not in _WALKS for part in parts):
            raise WorldGaugeError(f"no camera motion is known for '{verb}'")
        for part in parts:
            right += _WALKS[part][0]
            ahead += _WALKS[part][1]
    length = math.hypot(right, ahead) or 1.0
    return Motion(forward * right / length, forward * ahead / length, degrees)


def poses_of(motions: Sequence[tuple[Motion, int]]) -> Floats:
    """Camera-to-world poses (N, 4, 4) of motions and their numbers of frames, the first identity.

    What happens between two frames belongs to the chunk of the first: N frames have N - 1 steps.

    >>> poses_of([(Motion(ahead=0.5), 2), (Motion(degrees=90.0), 2)])[:, :3, 3].tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.5], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]
    """
    found = [np.eye(4)]
    for motion, frames in motions:
        for _ in range(frames):
            found.append(found[-1] @ motion.matrix())
    return np.stack(found[:-1]) if len(found) > 1 else np.stack(found)
