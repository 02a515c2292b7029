"""`SceneBuilder` collects ground, props, actors and lights; `Scene` is the compiled result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks import shapes, textures
from worldgauge.blocks.gl import load_mujoco
from worldgauge.blocks.textures import RGB

FOVY = 40.0
"""Vertical field of view, degrees."""
Vec3 = tuple[float, float, float]
_HIDDEN_GROUP = 3
"""Geom group of colliders: simulated, never drawn."""


@dataclass(frozen=True)
class Look:
    """A surface: texture by name, base colour, size of one tile in metres, shine in [0, 1]."""

    texture: str
    colour: RGB
    tile: float = 1.0
    shine: float = 0.1
    glow: float = 0.0


@dataclass
class Instance:
    """One nameable thing. Its id is what the id maps hold; 0 is the sky."""

    id: int
    name: str
    kind: str
    """ground, wall, prop, target, bystander or part (furniture of the process)."""
    geoms: list[int] = field(default_factory=list)
    """Model geom ids of its visible parts."""
    bodies: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Stage:
    """Where the process happens: a free flat place at the origin, z up, seen from -y."""

    setting: str
    """A noun phrase: "a brick-walled room"."""
    unit: float
    """Length unit of the family in metres; targets are about 0.6 units wide."""
    distance: float = 4.2
    """From the observer to the target, in units."""
    eye: float = 1.2
    """Observer's height, in units."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A compiled world; geometry per frame lives in `Timeline`."""

    model: Any
    """mujoco.MjModel"""
    instances: tuple[Instance, ...]
    target: Instance
    stage: Stage
    instance_of_geom: NDArray[np.uint8]
    """(G,) instance id of every model geom; 0 for hidden colliders."""

    def named(self, name: str) -> Instance:
        return next(i for i in self.instances if i.name == name)


class SceneBuilder:
    """Adds things to a MuJoCo specification and remembers which geom belongs to what."""

    def __init__(self, rng: np.random.Generator, size: tuple[int, int]) -> None:
        self.rng = rng
        self.mujoco = load_mujoco()
        self.spec = self.mujoco.MjSpec()
        self.world = self.spec.worldbody
        self.instances: list[Instance] = []
        self._looks: dict[Look, str] = {}
        self._owner: dict[str, int] = {}
        self._count = 0
        visual = self.spec.visual
        visual.global_.offwidth, visual.global_.offheight = size
        visual.quality.offsamples = 4
        visual.quality.shadowsize = 2048
        visual.headlight.active = 0
        visual.map.znear, visual.map.zfar = 0.05, 120.0
        self.spec.stat.extent = 1.0
        self.spec.stat.center = [0, 0, 0]
        self.world.add_camera(name="observer", fovy=FOVY)

    def instance(self, name: str, kind: str = "prop") -> Instance:
        """A new nameable thing without geometry yet; a repeated name gets a number."""
        same = sum(i.name == name or i.name.startswith(f"{name} ") for i in self.instances)
        made = Instance(len(self.instances) + 1, f"{name} {same + 1}" if same else name, kind)
        self.instances.append(made)
        return made

    def add(
        self, owner: Instance, mesh: shapes.Mesh, look: Look, at: Vec3 = (0, 0, 0), yaw: float = 0.0, body: Any = None,
        tilt: Vec3 | None = None,
    ) -> str:  # fmt: skip
        """Add a visible part; `yaw` turns it about z, `tilt` gives full Euler angles instead, in degrees."""
        name = self._unique("part")
        solid = self.spec.add_mesh(name=name)
        solid.uservert = mesh.vertices.ravel().tolist()
        solid.usertexcoord = (mesh.uv / look.tile).ravel().tolist()
        solid.userface = mesh.faces.ravel().tolist()
        solid.userfacetexcoord = mesh.faces.ravel().tolist()
        solid.inertia = self.mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
        (body or self.world).add_geom(
            name=name, type=self.mujoco.mjtGeom.mjGEOM_MESH, meshname=name, material=self._material(look),
            pos=at, quat=_quaternion(tilt or (0, 0, yaw)), contype=0, conaffinity=0, mass=0, group=0,
        )  # fmt: skip
        self._owner[name] = owner.id
        return name

    def collider(self, body: Any, kind: str, size: Vec3, mass: float, at: Vec3 = (0, 0, 0), **settings: Any) -> None:
        """An invisible primitive for the physics: `sphere`, `box`, `cylinder` or `plane`."""
        body.add_geom(
            name=self._unique("collider"), type=getattr(self.mujoco.mjtGeom, f"mjGEOM_{kind.upper()}"),
            size=size, mass=mass, pos=at, group=_HIDDEN_GROUP, **settings,
        )  # fmt: skip

    def free_body(self, owner: Instance, at: Vec3) -> Any:
        """A body that physics moves."""
        body = self.world.add_body(name=self._unique("body"), pos=at)
        body.add_freejoint()
        owner.bodies.append(body.name)
        return body

    def ground(self, name: str, mesh: shapes.Mesh, look: Look, at: Vec3 = (0, 0, 0)) -> Instance:
        """The ground with its collision plane at z = 0."""
        owner = self.instance(name, "ground")
        self.add(owner, mesh, look, at)
        self.collider(self.world, "plane", (50, 50, 0.1), 0.0)
        return owner

    def sun(self, toward: Vec3, strength: float, tint: RGB = (1, 1, 1), shadow: bool = True) -> None:
        """A directional light shining along `toward`."""
        direction = np.asarray(toward) / np.linalg.norm(toward)
        self.world.add_light(
            type=self.mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, pos=(-12 * direction).tolist(), dir=direction.tolist(),
            diffuse=[strength * c for c in tint], specular=[0.3 * strength] * 3, ambient=[0, 0, 0], castshadow=shadow,
        )  # fmt: skip

    def ambient(self, level: float, tint: RGB = (1, 1, 1)) -> None:
        """Light from everywhere: a light without direction or shadow."""
        light = self.spec.visual.headlight
        light.active = 1
        light.ambient = [level * c for c in tint]
        light.diffuse = [0.0, 0.0, 0.0]
        light.specular = [0.0, 0.0, 0.0]

    def sky(self, zenith: RGB, horizon: RGB, cloud: float) -> None:
        image = textures.sky(self.rng, zenith, horizon, cloud)
        self._texture("sky", image, self.mujoco.mjtTexture.mjTEXTURE_SKYBOX)

    def compile(self, target: Instance, stage: Stage) -> Scene:
        # Half the side of the shadow map, metres: all of the place, or surfaces at its rim shade themselves in spots.
        self.spec.visual.map.shadowclip = 14 * stage.unit
        model = self.spec.compile()
        owner = np.zeros(model.ngeom, np.uint8)
        for name, owned_by in self._owner.items():
            owner[model.geom(name).id] = owned_by
        for instance in self.instances:
            instance.geoms[:] = np.flatnonzero(owner == instance.id).tolist()
        return Scene(model, tuple(self.instances), target, stage, owner)

    def _material(self, look: Look) -> str:
        if look not in self._looks:
            name = f"look{len(self._looks)}"
            image = textures.paint(look.texture, self.rng, look.colour)
            self._texture(name, image, self.mujoco.mjtTexture.mjTEXTURE_2D)
            material = self.spec.add_material(
                name=name, specular=look.shine, shininess=0.4, emission=look.glow, rgba=[1, 1, 1, 1]
            )
            material.textures[self.mujoco.mjtTextureRole.mjTEXROLE_RGB] = name
            self._looks[look] = name
        return self._looks[look]

    def _texture(self, name: str, image: NDArray[np.uint8], kind: Any) -> None:
        texture = self.spec.add_texture(name=name, type=kind, width=image.shape[1], height=image.shape[0], nchannel=3)
        texture.data = image.tobytes()

    def _unique(self, stem: str) -> str:
        self._count += 1
        return f"{stem}{self._count}"


def _quaternion(euler: Vec3) -> list[float]:
    """w, x, y, z of extrinsic x-y-z rotations in degrees."""
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_euler("xyz", euler, degrees=True).as_quat()
    return [float(w), float(x), float(y), float(z)]
