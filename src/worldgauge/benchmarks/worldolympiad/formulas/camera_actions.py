"""The keys that a camera path amounts to: what an action label should be where the camera is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
STILL = 0.05
"""Units per second below which a camera does not walk."""
UNTURNED = 2.0
"""Degrees per second below which it does not turn."""
SHARE = 0.35
"""Of the whole walk that a direction must have, to count."""


def camera_action(poses: Floats, seconds: float) -> str:
    """The label of OpenCV camera-to-world poses (N, 4, 4) that last so long: `None`, a key, or two.

    Ahead and back are W and S; aside, or turned, A and D. A walk counts before a turn.

    >>> forward = np.tile(np.eye(4), (3, 1, 1)); forward[:, 2, 3] = [0, 1, 2]
    >>> camera_action(forward, 2.0), camera_action(forward[::-1], 2.0), camera_action(forward[:1], 2.0)
    ('W', 'S', 'None')
    """
    if len(poses) < 2 or seconds <= 0:
        return "None"
    relative = np.linalg.inv(poses[:-1]) @ poses[1:]
    right, ahead = relative[:, 0, 3].sum() / seconds, relative[:, 2, 3].sum() / seconds
    turned = float(np.degrees(np.arctan2(relative[:, 0, 2], relative[:, 2, 2])).sum()) / seconds
    speed = float(np.hypot(right, ahead))
    keys = ""
    if speed > STILL and abs(ahead) >= SHARE * speed:
        keys += "W" if ahead > 0 else "S"
    aside = right if speed > STILL and abs(right) >= SHARE * speed else turned if abs(turned) > UNTURNED else 0.0
    if aside:
        keys += "D" if aside > 0 else "A"
    return "+".join(sorted(keys, key="WASD".index)) or "None"
