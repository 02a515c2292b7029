"""The convention of `camera_data.json`."""

from __future__ import annotations

from worldgauge.functional.camera_conventions import LEFT_UP_FORWARD, RIGHT_UP_BACKWARD, Convention

CAMERA_DATA = Convention(
    "camera-to-world as in camera_data.json: Blender camera in a world with x left, y up, z forward",
    camera=RIGHT_UP_BACKWARD,
    world=LEFT_UP_FORWARD,
)
