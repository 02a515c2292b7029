"""The drawing pass: a `Timeline` in, pictures and per-pixel truth out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks.gl import load_mujoco, open_surface
from worldgauge.blocks.scene import Scene
from worldgauge.blocks.timeline import Timeline

_FLIP_YZ = np.diag([1.0, -1.0, -1.0])
"""OpenCV camera axes to OpenGL's."""


@dataclass(frozen=True, eq=False)
class Geometry:
    """What a camera sees of the shapes, per frame; no colours."""

    depth: NDArray[np.float32]
    """(N, H, W) metres along the optical axis; inf for the sky."""
    geoms: NDArray[np.int16]
    """(N, H, W) model geom ids; -1 for the sky."""
    amodal: NDArray[np.bool_]
    """(N, H, W) the target as if nothing stood before it."""


class Painter:
    """Draws single frames of timelines of one scene; close it, or use `painter(...)`."""

    def __init__(self, scene: Scene, size: tuple[int, int]) -> None:
        self.scene, self.size = scene, size
        self._mujoco = load_mujoco()
        self._surface = open_surface(scene.model, size)
        self._rect = self._mujoco.MjrRect(0, 0, *size)
        self._list = self._mujoco.MjvScene(scene.model, maxgeom=scene.model.ngeom + 16)
        self._eye = self._mujoco.MjvCamera()
        self._eye.type, self._eye.fixedcamid = self._mujoco.mjtCamera.mjCAMERA_FIXED, 0
        self._data = self._mujoco.MjData(scene.model)
        self._mujoco.mj_forward(scene.model, self._data)
        self._option = self._mujoco.MjvOption()
        self._option.geomgroup[:] = [1, 0, 0, 0, 0, 0]
        target = np.zeros(scene.model.ngeom, bool)
        target[scene.target.geoms] = True
        self._target = target
        # Walls and ceilings cast no shadow, or no sun would ever shine into a room.
        self._solid = np.ones(scene.model.ngeom, bool)
        for instance in scene.instances:
            self._solid[instance.geoms] = instance.kind not in ("wall", "ground")

    def close(self) -> None:
        self._surface.close()

    def retexture(self, texture: int, image: NDArray[np.uint8]) -> None:
        """Give a texture of the model another picture of the same size, (side, side, 3), from now on."""
        model = self.scene.model
        start = model.tex_adr[texture]
        model.tex_data[start : start + image.size] = image.ravel()
        self._surface.window.make_current()
        self._mujoco.mjr_uploadTexture(model, self._surface.context, texture)

    def picture(self, timeline: Timeline, frame: int) -> NDArray[np.uint8]:
        """(H, W, 3)"""
        self._pose(timeline, frame)
        self._mujoco.mjr_render(self._rect, self._list, self._surface.context)
        image = np.empty((self.size[1], self.size[0], 3), np.uint8)
        self._mujoco.mjr_readPixels(image, None, self._rect, self._surface.context)
        if timeline.light is not None:
            image = np.round(image * timeline.light[frame]).astype(np.uint8)
        return image[::-1]

    def surfaces(self, timeline: Timeline, frame: int) -> tuple[NDArray[np.float32], NDArray[np.int16]]:
        """Depth and geom ids of one frame, in one pass."""
        self._pose(timeline, frame)
        geoms, z = self._identify()
        depth = self._metric(z)
        depth[geoms < 0] = np.inf
        return depth, geoms

    def shapes(
        self, timeline: Timeline, frame: int
    ) -> tuple[NDArray[np.float32], NDArray[np.int16], NDArray[np.bool_]]:
        """Depth, geom ids and amodal target of one frame."""
        depth, geoms = self.surfaces(timeline, frame)
        for geom in self._drawn():
            if not self._target[geom.objid]:
                geom.mat[:] = 0
        alone, _ = self._identify()
        return depth, geoms, alone >= 0

    def _drawn(self) -> Any:
        return self._list.geoms[: self._list.ngeom]

    def _pose(self, timeline: Timeline, frame: int) -> None:
        """Load a frame's geometry, colours and camera into the drawing list."""
        data, mujoco = self._data, self._mujoco
        data.geom_xpos[:] = timeline.position[frame]
        data.geom_xmat[:] = timeline.linear[frame].reshape(-1, 9)
        pose = timeline.camera.poses[frame]
        data.cam_xpos[0] = pose[:3, 3]
        data.cam_xmat[0] = (pose[:3, :3] @ _FLIP_YZ).ravel()
        self._surface.window.make_current()
        everything = mujoco.mjtCatBit.mjCAT_ALL.value
        mujoco.mjv_updateScene(self.scene.model, data, self._option, None, self._eye, everything, self._list)
        rgba, material = timeline.rgba[frame], timeline.material[frame]
        for geom in self._drawn():
            geom.rgba[:] = rgba[geom.objid]
            geom.castshadow = bool(self._solid[geom.objid])
            if geom.matid != material[geom.objid]:
                geom.matid = int(material[geom.objid])
                if hasattr(geom, "texid"):  # since MuJoCo 4 the texture is looked up once, before this
                    geom.texid = int(self.scene.model.mat_texid[geom.matid, self._mujoco.mjtTextureRole.mjTEXROLE_RGB])

    def _identify(self) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
        scene, context = self._list, self._surface.context
        flags = self._mujoco.mjtRndFlag
        scene.flags[flags.mjRND_SEGMENT], scene.flags[flags.mjRND_IDCOLOR] = 1, 1
        colour = np.empty((self.size[1], self.size[0], 3), np.uint8)
        z = np.empty((self.size[1], self.size[0]), np.float32)
        self._mujoco.mjr_render(self._rect, scene, context)
        self._mujoco.mjr_readPixels(colour, z, self._rect, context)
        scene.flags[flags.mjRND_SEGMENT], scene.flags[flags.mjRND_IDCOLOR] = 0, 0
        code = colour[..., 0] + 256 * colour[..., 1].astype(np.int32)
        table = np.full(scene.ngeom + 1, -1, np.int16)
        for geom in self._drawn():
            table[geom.segid + 1] = geom.objid
        return table[code][::-1], z[::-1]

    def _metric(self, z: NDArray[np.float32]) -> NDArray[np.float32]:
        """Reversed-z buffer values to metres."""
        visual = self.scene.model.vis.map
        near, far = np.float64(np.float32(visual.znear)), np.float64(np.float32(visual.zfar))
        return (near * far / (near + z.astype(np.float64) * (far - near))).astype(np.float32)


@contextmanager
def painter(scene: Scene, size: tuple[int, int]) -> Iterator[Painter]:
    made = Painter(scene, size)
    try:
        yield made
    finally:
        made.close()


def render_frames(scene: Scene, timeline: Timeline) -> NDArray[np.uint8]:
    """Pictures only, (N, H, W, 3): what a video of this timeline looks like."""
    size = timeline.camera.size
    assert size is not None
    with painter(scene, size) as draw:
        return np.stack([draw.picture(timeline, frame) for frame in range(len(timeline))])


def render_geometry(draw: Painter, timeline: Timeline) -> Geometry:
    """Depth, ids and the target's amodal mask of every frame."""
    rows = [draw.shapes(timeline, frame) for frame in range(len(timeline))]
    depth, geoms, amodal = (np.stack(column) for column in zip(*rows, strict=True))
    return Geometry(depth, geoms, amodal)
