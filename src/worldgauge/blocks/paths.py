"""Camera paths: where the observer stands and looks at each moment.

Two kinds. `away` paths make the target leave the view and come back; they are written as walking (right, up, forward
in units of the stage), yaw (left positive) and pitch (up positive) over a clip of length 1. Layouts are eight keyframe
moves relative to the first camera; three names joined by `+` make a chain.

Source: WorldScore (layouts).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation, Slerp

from worldgauge.blocks.names import pick
from worldgauge.blocks.scene import FOVY, Stage
from worldgauge.core.cameras import CameraPath

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Pose:
    """Walked distance in units of the stage and turned angles in degrees, relative to the start."""

    right: float = 0.0
    up: float = 0.0
    forward: float = 0.0
    yaw: float = 0.0
    pitch: float = 0.0


@dataclass(frozen=True)
class Path:
    name: str
    says: str
    """What the observer does, as a clause: "pans left until ... "."""
    leaves: bool
    """Whether the target must leave the view and come back."""
    move: Callable[[float], Pose] | None = None
    """Clip time in [0, 1] to pose; `None` for layouts."""
    layouts: tuple[str, ...] = ()
    side: float = 0.0
    """Where the observer starts, in units to the right of the stage's axis."""
    hiding: str = "camera"
    """What hides the target: the camera that turns away, something that passes in front of it, or the dark."""
    unseen: tuple[str, str, str] = ("is out of view", "goes out of view", "comes into view again")
    """What captions say of a target that is hidden, is being hidden, and is seen again."""
    light: Callable[[float], float] | None = None
    """Clip time in [0, 1] to the share of the light that is left; `None` where it stays as it is."""


def _ease(t: float, start: float, end: float) -> float:
    """0 before `start`, 1 after `end`, smooth between."""
    x = min(max((t - start) / (end - start), 0.0), 1.0)
    return x * x * (3 - 2 * x)


def _out_and_back(t: float) -> float:
    return _ease(t, 0.10, 0.38) - _ease(t, 0.62, 0.90)


def _u_turn(t: float) -> Pose:
    return Pose(forward=7.4 * _ease(t, 0.0, 0.6), yaw=-146 * _ease(t, 0.50, 0.85))


def _steady(t: float) -> float:
    """Constant speed out, wait, the exact reverse back: what held keys do."""
    return min(max((t - 0.08) / 0.30, 0.0), 1.0) - min(max((t - 0.62) / 0.30, 0.0), 1.0)


AWAY = (
    Path("away_left", "pans left until the target is out of view, then pans back", True,
         lambda t: Pose(yaw=78 * _out_and_back(t))),
    Path("away_right", "pans right until the target is out of view, then pans back", True,
         lambda t: Pose(yaw=-78 * _out_and_back(t))),
    Path("tilt", "tilts up until the target is out of view, then tilts back down", True,
         lambda t: Pose(pitch=52 * _out_and_back(t))),
    Path("head_turn", "looks over the left shoulder and turns back", True,
         lambda t: Pose(yaw=140 * (_ease(t, 0.15, 0.45) - _ease(t, 0.55, 0.85)), pitch=6 * _out_and_back(t))),
    Path("u_turn", "walks past the target, makes a U-turn and sees it again from the other side", True, _u_turn,
         side=-1.5),
    Path("walk_past", "walks forward past the target, then steps back to where it is in view again", True,
         lambda t: Pose(forward=5.6 * _out_and_back(t)), side=-1.5),
    Path("vertical", "rises and looks up until the target is out of view, then comes back down", True,
         lambda t: Pose(up=1.6 * _out_and_back(t), pitch=40 * _out_and_back(t))),
    Path("exit_wait_reenter", "turns right until the target is out of view, waits, and turns back the same way", True,
         lambda t: Pose(yaw=-80 * _steady(t))),
)  # fmt: skip
LAYOUTS = ("push_in", "pull_out", "move_left", "move_right", "orbit_left", "orbit_right", "pan_left", "pan_right")
CHAINS = ("pan_left+move_left+pull_out", "push_in+orbit_right+pan_left", "move_right+pan_left+push_in")
FIXED = Path("fixed", "stands still", False, lambda t: Pose())


def _layout_path(name: str) -> Path:
    parts = tuple(name.split("+"))
    says = ", then ".join(f"camera {p.replace('_', ' ')}" for p in parts)
    return Path(name, says, False, layouts=parts)


PATHS: dict[str, Path] = {p.name: p for p in (*AWAY, FIXED, *map(_layout_path, (*LAYOUTS, *CHAINS)))}
"""The deck that blocks are dealt from. Its members and their order stay as they are: the worlds that a seed gives
follow from them."""
LATER_PATHS: dict[str, Path] = {
    path.name: path
    for path in (
        Path("back_beside", "pans left until the target is out of view, takes a step to the right and pans back", True,
             lambda t: Pose(right=0.7 * _ease(t, 0.36, 0.64), yaw=78 * _out_and_back(t))),
        Path("back_above", "pans left until the target is out of view, rises by a step and pans back", True,
             lambda t: Pose(up=0.5 * _ease(t, 0.36, 0.64), yaw=78 * _out_and_back(t))),
        Path("behind_screen", "stands still while a tall screen is pushed in front of the target, stops and goes on",
             True, lambda t: Pose(), hiding="occlusion",
             unseen=("is hidden behind the screen", "is being covered by the screen", "is uncovered by the screen")),
        Path("lights_out", "stands still while the lights go down until the target cannot be seen, and up again",
             True, lambda t: Pose(), hiding="dimming", light=lambda t: 1 - _ease(t, 0.14, 0.36) + _ease(t, 0.64, 0.86),
             unseen=("cannot be seen in the dark", "fades into the dark", "is seen again in the light")),
    )
}  # fmt: skip
"""Paths that came later; a block has one when it is asked for by name."""
ALL_PATHS = PATHS | LATER_PATHS


def find_path(name: str) -> Path:
    """A path by name; any layouts joined by `+` are accepted."""
    if name not in PATHS and "+" in name and all(p in LAYOUTS for p in name.split("+")):
        return _layout_path(name)
    return pick("camera path", name, ALL_PATHS)


def intrinsics(size: tuple[int, int]) -> Floats:
    """(3, 3): square pixels, principal point in the middle, pixel centres at +0.5."""
    width, height = size
    focal = height / 2 / np.tan(np.radians(FOVY) / 2)
    return np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1.0]])


def camera_path(path: Path, stage: Stage, aim: Floats, frames: int, size: tuple[int, int]) -> CameraPath:
    """Camera-to-world per frame. `aim` is the point the first camera looks at, metres."""
    unit = stage.unit
    start = np.array([path.side * unit, -stage.distance * unit, stage.eye * unit])
    look = np.asarray(aim) - start
    heading = -np.degrees(np.arctan2(look[0], look[1]))
    pitch = np.degrees(np.arctan2(look[2], np.hypot(look[0], look[1])))
    if path.side:
        # Walking past something: the observer looks where it walks and sees the target beside its way.
        heading *= 0.45
    if path.move is None:
        poses = _pose_matrix(start, heading, pitch) @ layout_poses(path.layouts, frames, 0.5 * stage.distance * unit)
    else:
        times = np.linspace(0, 1, frames) if frames > 1 else np.zeros(1)
        poses = np.stack([_walk(path.move(float(t)), start, heading, pitch, unit) for t in times])
    return CameraPath(poses, intrinsics(size), size)


def _walk(pose: Pose, start: Floats, heading: float, pitch: float, unit: float) -> Floats:
    # Walking follows the street (the y axis), not the gaze.
    step = np.array([pose.right, pose.forward, pose.up]) * unit
    return _pose_matrix(start + step, heading + pose.yaw, pitch + pose.pitch)


def _pose_matrix(position: Floats, yaw: float, pitch: float) -> Floats:
    """OpenCV camera-to-world of a camera that looks along +y at yaw 0, level at pitch 0."""
    level = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
    turn = Rotation.from_euler("z", yaw, degrees=True).as_matrix()
    nod = Rotation.from_euler("x", pitch, degrees=True).as_matrix()
    pose = np.eye(4)
    pose[:3, :3] = turn @ nod @ level
    pose[:3, 3] = position
    return pose


def _keyframe(layout: str, reach: float) -> Floats:
    """World-to-camera of one layout relative to the camera before it, OpenCV axes."""
    matrix = np.eye(4)
    shift = {"push_in": (0, 0, -1), "pull_out": (0, 0, 1), "move_left": (0.5, 0, 0), "move_right": (-0.5, 0, 0)}
    if layout in shift:
        matrix[:3, 3] = reach * np.asarray(shift[layout])
        return matrix
    # A camera heading 30 degrees to the left sees the world turn right: +30 about y (down) from world to camera.
    angle = {"pan_left": 30, "pan_right": -30, "orbit_left": -30, "orbit_right": 30}[layout]
    matrix[:3, :3] = Rotation.from_euler("y", angle, degrees=True).as_matrix()
    if layout.startswith("orbit"):
        pivot = np.array([0, 0, reach])
        matrix[:3, 3] = pivot - matrix[:3, :3] @ pivot
    return matrix


def layout_poses(layouts: tuple[str, ...], frames: int, reach: float) -> Floats:
    """Camera-to-world (frames, 4, 4) relative to the first camera.

    Keyframes chain in world-to-camera form and in between the rotation is slerped while the world-to-camera
    translation vector is interpolated linearly.

    Source: WorldScore, released code.
    """
    keys = [np.eye(4)]
    for layout in layouts:
        keys.append(_keyframe(layout, reach) @ keys[-1])
    stacked = np.stack(keys)
    at = np.linspace(0, len(layouts), frames) if frames > 1 else np.zeros(1)
    turn = Slerp(np.arange(len(keys)), Rotation.from_matrix(stacked[:, :3, :3]))(at).as_matrix()
    shift = np.stack([np.interp(at, np.arange(len(keys)), stacked[:, axis, 3]) for axis in range(3)], -1)
    poses = np.tile(np.eye(4), (frames, 1, 1))
    poses[:, :3, :3] = turn.transpose(0, 2, 1)
    poses[:, :3, 3] = -np.einsum("nij,nj->ni", poses[:, :3, :3], shift)
    return poses


def key_script(camera: CameraPath) -> tuple[str, ...]:
    """Keys held from each frame to the next, one string per frame; empty when the camera rests.

    W, S, A, D walk forward, back, left, right; I, K, J, L look up, down, left, right; E, Q rise and sink. A key counts
    as held when its motion is at least a third of the fastest motion of that kind in the clip.
    """
    poses = camera.poses
    relative = np.linalg.inv(poses[:-1]) @ poses[1:]
    turn = Rotation.from_matrix(relative[:, :3, :3]).as_rotvec()
    level = np.cross(poses[:-1, :3, 0], [0.0, 0, 1])  # the gaze projected on the ground, turned a right angle from x
    step = poses[1:, :3, 3] - poses[:-1, :3, 3]
    forward = -np.einsum("ni,ni->n", step, level)
    right = np.einsum("ni,ni->n", step, poses[:-1, :3, 0])
    channels = (
        (forward, "W", "S"), (-right, "A", "D"), (step[:, 2], "E", "Q"),
        (turn[:, 0], "I", "K"), (-turn[:, 1], "J", "L"),
    )  # fmt: skip
    walk = max(np.abs(c).max(initial=0) for c, *_ in channels[:3])
    look = max(np.abs(c).max(initial=0) for c, *_ in channels[3:])
    lines = []
    for k in range(len(relative)):
        keys = [
            positive if values[k] > 0 else negative
            for values, positive, negative in channels
            if abs(values[k]) > 1e-6 and abs(values[k]) >= 0.35 * (walk if positive in "WAE" else look)
        ]
        lines.append("+".join(keys))
    return (*lines, lines[-1] if lines else "")
