"""The physics pass: everything the renderer needs, recorded per frame before a single pixel is drawn.

A `Timeline` is plain arrays. Whoever wants a faulty world model takes one, changes poses, shapes, colours, materials or
the camera with `dataclasses.replace`, and hands it to `render.render_frames`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks.gl import load_mujoco
from worldgauge.blocks.processes.base import Act
from worldgauge.blocks.scene import Scene
from worldgauge.core.cameras import CameraPath

Floats = NDArray[np.float64]
_STEP = 0.001
"""Longest physics step, seconds."""
_QUIET = 0.15
"""Two bodies that were apart for this long touch anew, seconds."""


@dataclass(frozen=True, eq=False)
class Timeline:
    """State of every geom and of the camera at every frame; N frames, G geoms of the model."""

    time: Floats
    """(N,) seconds."""
    position: Floats
    """(N, G, 3) metres."""
    linear: Floats
    """(N, G, 3, 3): columns map the geom's own axes to the world; a rotation, times a scale where a thing deforms.
    Zeros hide the geom."""
    rgba: NDArray[np.float32]
    """(N, G, 4): multiplies the texture."""
    material: NDArray[np.int32]
    """(N, G) material ids of the model."""
    camera: CameraPath
    light: Floats | None = None
    """(N,) share of the light that is left; `None`: all of it, always."""
    scripted: tuple[int, ...] = ()
    """Geoms that the script moves, as it moves the camera: they keep the clip's time, whatever the world's clock is."""

    def __len__(self) -> int:
        return len(self.time)

    def moved(self, frame: int, other: int) -> NDArray[np.bool_]:
        """(G,) geoms whose geometry differs between two frames."""
        apart = np.abs(self.position[frame] - self.position[other]).max(-1)
        bent = np.abs(self.linear[frame] - self.linear[other]).max((-1, -2))
        return np.asarray(np.maximum(apart, bent) > 1e-9)


@dataclass(frozen=True)
class Contact:
    """Two instances start to touch."""

    frame: int
    first: str
    """The faster one."""
    second: str
    speed: float
    """Closing speed of the two bodies just before, m/s."""


def simulate(scene: Scene, act: Act, camera: CameraPath, fps: float) -> tuple[Timeline, tuple[Contact, ...]]:
    """Run the physics over the camera path's frames, then lay the formulas of the act's movers over it."""
    mujoco, model, frames = load_mujoco(), scene.model, len(camera)
    steps = max(1, int(np.ceil(1 / fps / _STEP)))
    model.opt.timestep = 1 / fps / steps
    data = mujoco.MjData(model)
    for body, velocity in act.velocities.items():
        address = model.body(body).dofadr[0]
        data.qvel[address : address + 6] = velocity
    mujoco.mj_forward(model, data)
    time = np.arange(frames) / fps
    position, linear = np.empty((frames, model.ngeom, 3)), np.empty((frames, model.ngeom, 3, 3))
    log = _ContactLog(scene)
    for frame in range(frames):
        position[frame], linear[frame] = data.geom_xpos, data.geom_xmat.reshape(-1, 3, 3)
        if frame + 1 == frames or model.nv == 0:
            continue
        for _ in range(steps):
            _hold(model, data, act)
            mujoco.mj_step(model, data)
            log.read(data, frame + 1)
    material = np.broadcast_to(model.geom_matid, (frames, model.ngeom)).copy()
    rgba = np.where((model.geom_matid >= 0)[:, None], model.mat_rgba[model.geom_matid], model.geom_rgba)
    timeline = Timeline(time, position, linear, np.broadcast_to(rgba, (frames, *rgba.shape)).copy(), material, camera)
    _apply_movers(scene, act, timeline)
    return timeline, tuple(log.contacts)


def _hold(model: Any, data: Any, act: Act) -> None:
    """Keep held bodies where they start until their time comes, then give them their velocity."""
    for body, until in act.holds.items():
        if data.time - model.opt.timestep < until:
            joint, dof = model.body(body).jntadr[0], model.body(body).dofadr[0]
            start = model.jnt_qposadr[joint]
            data.qpos[start : start + 7] = model.qpos0[start : start + 7]
            data.qvel[dof : dof + 6] = 0 if data.time < until else act.velocities.get(body, 0)


def _apply_movers(scene: Scene, act: Act, timeline: Timeline) -> None:
    for mover in act.movers:
        geoms = [scene.model.geom(part).id for part in mover.parts]
        for frame, t in enumerate(timeline.time):
            if mover.affine is not None:
                world = mover.affine(float(t))
                timeline.position[frame, geoms] = timeline.position[frame, geoms] @ world[:3, :3].T + world[:3, 3]
                timeline.linear[frame, geoms] = world[:3, :3] @ timeline.linear[frame, geoms]
            if mover.tint is not None:
                timeline.rgba[frame, geoms] = mover.tint(float(t))


class _ContactLog:
    """Notes when pairs of instances start to touch; resting contacts at the start are not events."""

    def __init__(self, scene: Scene) -> None:
        self.contacts: list[Contact] = []
        names = {scene.model.body(body).id: i.name for i in scene.instances for body in i.bodies}
        self._body = scene.model.geom_bodyid
        self._name = [names.get(body, "ground") for body in range(scene.model.nbody)]
        self._last: dict[tuple[str, str], float] = {}
        self._before = np.zeros((scene.model.nbody, 3))

    def read(self, data: Any, frame: int) -> None:
        """Look at the contacts of one physics step."""
        if data.ncon:
            now = data.time
            for a, b in self._body[data.contact.geom].tolist():
                first, second = sorted((self._name[a], self._name[b]))
                if first == second:
                    continue
                if now - self._last.get((first, second), -1.0) > _QUIET and now > _QUIET:
                    speed = float(np.linalg.norm(self._before[a] - self._before[b]))
                    faster, slower = sorted((a, b), key=lambda k: -float(np.linalg.norm(self._before[k])))
                    if speed > 0.05:
                        self.contacts.append(Contact(frame, self._name[faster], self._name[slower], round(speed, 3)))
                self._last[first, second] = now
        self._before[:] = data.cvel[:, 3:]
