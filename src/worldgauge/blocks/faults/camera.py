"""The camera does not do what was asked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks.faults.base import Fault, Given, Move, Shown, Stay, onset, still
from worldgauge.blocks.scene import FOVY
from worldgauge.blocks.timeline import Timeline
from worldgauge.core.gauge import Quality
from worldgauge.functional.pose import geodesic_deg, relative

Floats = NDArray[np.float64]
_STEP_DEG = 30.0
"""Turning this far counts as much as walking one unit of the stage."""
_TREMBLE = 22.5
"""The picture's height over the widest tremble: 8 px of 180."""


class FrozenCamera(Fault):
    name = "frozen_camera"
    says = "only a share of the camera's motion is executed"
    quantity = "share of the camera's motion that is missing"
    moves = (
        Move(Quality.CAMERA), Move(Quality.FIDELITY), Move(Quality.MOTION), Move(Quality.COURSE),
        Move(Quality.SMOOTHNESS, "better"), Move(Quality.IDENTITY, "better"), Move(Quality.DEPTH, "better"),
    )  # fmt: skip
    stays = (Stay(Quality.PICTURE),)

    def act(self, given: Given, severity: float) -> Timeline:
        return _with_motion(given.timeline, 1 - severity)

    def measure(self, given: Given, shown: Shown) -> float:
        return _deviation(given, shown)


class WrongAction(Fault):
    name = "wrong_action"
    says = "the camera does the mirror image of the requested motion; half way up the dial it stands still"
    quantity = "distance from the requested motion, in shares of that motion"
    moves = (Move(Quality.CAMERA), Move(Quality.FIDELITY), Move(Quality.COURSE))
    stays = (Stay(Quality.PICTURE),)

    def act(self, given: Given, severity: float) -> Timeline:
        return _with_motion(given.timeline, 1 - 2 * severity)

    def measure(self, given: Given, shown: Shown) -> float:
        return _deviation(given, shown)


class CameraDrift(Fault):
    name = "camera_drift"
    says = "the camera turns away steadily, by 45 degrees at the end"
    quantity = "rotation error at the end, degrees"
    moves = (Move(Quality.CAMERA), Move(Quality.FIDELITY), Move(Quality.COURSE))
    stays = still(Quality.PICTURE, Quality.SMOOTHNESS, Quality.STEADINESS, Quality.TONES)

    def act(self, given: Given, severity: float) -> Timeline:
        from scipy.spatial.transform import Rotation

        camera = given.timeline.camera
        axis = np.array([0.25, 1.0, 0.15]) * given.random(self.name).choice([-1, 1], 3)
        angle = np.radians(45 * severity) * np.linspace(0, 1, len(camera))
        poses = camera.poses.copy()
        poses[:, :3, :3] @= Rotation.from_rotvec(angle[:, None] * axis / np.linalg.norm(axis)).as_matrix()
        return replace(given.timeline, camera=replace(camera, poses=poses))

    def measure(self, given: Given, shown: Shown) -> float:
        return float(geodesic_deg(given.timeline.camera.rotation[-1], shown.timeline.camera.rotation[-1]))


class HandShake(Fault):
    name = "hand_shake"
    says = "the camera trembles, by up to a 22nd of the picture's height (8 px of 180)"
    quantity = "root mean square of the tremble, degrees"
    moves = (Move(Quality.STEADINESS), Move(Quality.COURSE), Move(Quality.FIDELITY))
    stays = still(Quality.PICTURE, Quality.STYLE, Quality.LIGHTING, Quality.TONES, Quality.PRESENCE)

    def act(self, given: Given, severity: float) -> Timeline:
        from scipy.spatial.transform import Rotation

        camera = given.timeline.camera
        # Pitch and yaw move the picture up and down and sideways; a hand rolls less.
        tremble = given.random(self.name).uniform(-1, 1, (len(camera), 3)) * (1, 1, 0.25)
        reach = np.radians(severity * FOVY / _TREMBLE)
        poses = camera.poses.copy()
        poses[:, :3, :3] @= Rotation.from_rotvec(reach * onset(len(camera))[:, None] * tremble).as_matrix()
        return replace(given.timeline, camera=replace(camera, poses=poses))

    def measure(self, given: Given, shown: Shown) -> float:
        apart = geodesic_deg(given.timeline.camera.rotation, shown.timeline.camera.rotation)
        return float(np.sqrt((apart**2).mean()))


def _with_motion(timeline: Timeline, share: float) -> Timeline:
    """Every pose moved to `share` of its way from the first one; negative is the opposite motion."""
    from scipy.spatial.transform import Rotation

    camera = timeline.camera
    motion = relative(camera.poses[0], camera.poses)
    motion[:, :3, :3] = Rotation.from_rotvec(share * Rotation.from_matrix(motion[:, :3, :3]).as_rotvec()).as_matrix()
    motion[:, :3, 3] *= share
    return replace(timeline, camera=replace(camera, poses=camera.poses[0] @ motion))


def _deviation(given: Given, shown: Shown) -> float:
    """Mean distance between the two paths over the mean distance of the true path from its start; 0 for a fixed one."""
    true, made = given.timeline.camera.poses, shown.timeline.camera.poses
    asked = _distance(true, np.broadcast_to(true[0], true.shape), given.unit).mean()
    return float(_distance(true, made, given.unit).mean() / asked) if asked > 1e-9 else 0.0


def _distance(a: Floats, b: Floats, unit: float) -> Floats:
    """(N,) turning and walking added up."""
    apart = np.linalg.norm(a[:, :3, 3] - b[:, :3, 3], axis=1) / unit
    return np.asarray(apart + geodesic_deg(a[:, :3, :3], b[:, :3, :3]) / _STEP_DEG)
