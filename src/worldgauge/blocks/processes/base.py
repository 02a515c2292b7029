"""What a process adds to a world: a target, how it moves and changes, and the words for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks import palette, shapes
from worldgauge.blocks.scene import Instance, Look, SceneBuilder, Vec3
from worldgauge.blocks.textures import RGB

Floats = NDArray[np.float64]
Affine = Callable[[float], Floats]
"""Seconds to a (4, 4) world transform of the parts' resting geometry; may scale."""
Tint = Callable[[float], tuple[float, float, float, float]]
"""Seconds to the colour that multiplies the texture."""


@dataclass(frozen=True)
class Mover:
    """Parts that follow a formula instead of the physics."""

    parts: tuple[str, ...]
    affine: Affine | None = None
    tint: Tint | None = None


@dataclass(frozen=True)
class Words:
    """Sentences about the process; the target is named in them."""

    begins: str
    """Present tense, what is seen at first: "the red striped ball starts to roll to the right"."""
    hidden: str
    """What goes on while nobody looks."""
    ends: str
    """What is seen when the observer looks again."""
    wrong: str
    """A false ending, for questions whose true answer is no."""
    law: str
    """What physics keeps true throughout."""
    breach: str
    """What would break that law and never happens."""


@dataclass(frozen=True)
class Act:
    """A process installed in a scene."""

    target: Instance
    aim: Vec3
    """Where the observer looks first, metres."""
    words: Words
    rules: tuple[str, ...]
    """Ids of physical rules that can be judged here.

    Source: WorldOlympiad (the rules).
    """
    movers: tuple[Mover, ...] = ()
    velocities: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """Body name to initial velocity: three linear (m/s), three angular (rad/s)."""
    holds: dict[str, float] = field(default_factory=dict)
    """Body name to the time (s) until which it is held where it starts."""
    progress: Callable[[float], float] | None = None
    """Seconds to the finished share in [0, 1] of a change of state."""
    change: str = ""
    """Past participle for progress events: "melted"."""
    needs_hit: bool = False
    """Whether the ending comes true only after the target has touched something."""


@dataclass(frozen=True)
class Kit:
    """What a process is given to build with."""

    b: SceneBuilder
    unit: float
    """Metres; a target is about 0.6 units wide."""
    duration: float
    """Seconds."""

    @property
    def rng(self) -> np.random.Generator:
        return self.b.rng

    def colour(self, *names: str) -> tuple[str, RGB]:
        """A vivid colour, from `names` if given."""
        name = str(self.rng.choice(list(names or palette.VIVID)))
        return name, palette.VIVID[name]

    def direction(self) -> int:
        """+1 to the observer's right, -1 to its left."""
        return int(self.rng.choice([-1, 1]))


def side_word(direction: int) -> str:
    return "right" if direction > 0 else "left"


def turning(about: Vec3, rate: float, carried: Affine | None = None) -> Affine:
    """Turn about the y axis through `about` at `rate` radians per second, then go along with `carried`."""

    def at(t: float) -> Floats:
        own = spin(about, (0, 1, 0), rate * t)
        return own if carried is None else np.asarray(carried(t) @ own)

    return at


def ramp(t: float, start: float, end: float) -> float:
    """0 until `start`, 1 from `end`, linear between."""
    return min(max((t - start) / (end - start), 0.0), 1.0)


def shift(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Floats:
    out = np.eye(4)
    out[:3, 3] = (x, y, z)
    return out


def scale_about(about: Vec3, x: float, y: float, z: float) -> Floats:
    """Scale along the world axes about a point."""
    return shift(*about) @ np.diag([x, y, z, 1.0]) @ shift(*(-np.asarray(about)))


def spin(about: Vec3, axis: Vec3, angle: float) -> Floats:
    """Turn by `angle` radians about an axis through a point."""
    from scipy.spatial.transform import Rotation

    out = np.eye(4)
    out[:3, :3] = Rotation.from_rotvec(angle * np.asarray(axis, float)).as_matrix()
    return shift(*about) @ out @ shift(*(-np.asarray(about)))


def mix(a: RGB, b: RGB, weight: float) -> tuple[float, float, float, float]:
    red, green, blue = (p * (1 - weight) + q * weight for p, q in zip(a, b, strict=True))
    return red, green, blue, 1.0


def springy(bounce: float) -> dict[str, Any]:
    """Contact settings of a collider that keeps the share `bounce` of its speed at a hit."""
    if bounce <= 0:
        return {}
    # The contact is a damped spring of this angular frequency; its damping ratio follows from the rebound.
    frequency = 200.0
    loss = -np.log(bounce)
    ratio = loss / np.hypot(np.pi, loss)
    return {"solref": [-(frequency**2), -2 * ratio * frequency], "solimp": [0.99, 0.99, 0.001, 0.5, 2.0], "priority": 1}


def striped_ball(
    kit: Kit, owner: Instance, colour: RGB, radius: float, at: Vec3, bounce: float = 0.0, mass: float = 0.6
) -> str:
    """A ball that physics moves; `bounce` in [0, 1) is the share of its speed kept at a hit."""
    body = kit.b.free_body(owner, at)
    kit.b.collider(body, "sphere", (radius, 0, 0), mass, friction=[0.9, 0.005, 0.0001], **springy(bounce))
    ball = shapes.sphere(radius)
    # Six pairs of stripes from pole to pole, whatever the size.
    mesh = shapes.Mesh(ball.vertices, ball.uv / (np.pi * radius) * 0.5, ball.faces)
    kit.b.add(owner, mesh, Look("stripes", colour, 1.0, 0.3), body=body, tilt=(50, 35, 0))
    return str(body.name)
