"""The target is lost, becomes another thing, or moves as nothing can."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks.faults.base import Fault, Given, Move, Shown, Stay, Textures, still
from worldgauge.blocks.faults.surface import texture_image, texture_of
from worldgauge.blocks.timeline import Timeline
from worldgauge.core.gauge import Quality

Floats = NDArray[np.float64]
_DEPTH = 0.8
"""Share of its own height by which a target sinks at most,"""
_LEAST_DEPTH = 0.5
"""and the least that this is, in units: flat things are wider than high."""


class Vanish(Fault):
    name = "vanish"
    says = "the target is missing when the observer looks again"
    quantity = "share of the frames after the return without the target"
    unseen = True
    moves = (Move(Quality.PRESENCE), Move(Quality.FIDELITY))
    stays = still(Quality.CAMERA, Quality.EARLY, Quality.PICTURE, Quality.SCENERY)

    def act(self, given: Given, severity: float) -> Timeline:
        count = len(given.timeline)
        linear = given.timeline.linear.copy()
        linear[given.gone : given.back + round(severity * (count - given.back)), given.target] = 0
        return replace(given.timeline, linear=linear)

    def measure(self, given: Given, shown: Shown) -> float:
        return float((shown.timeline.linear[given.back :][:, given.target] == 0).all((1, 2, 3)).mean())


class IdentityDrift(Fault):
    name = "identity_drift"
    says = "the target's colour, texture and shape morph until it is another thing"
    quantity = "stretch of the target at the end, share of its size"
    moves = (Move(Quality.IDENTITY), Move(Quality.FIDELITY))
    stays = still(
        Quality.CAMERA,
        Quality.PICTURE,
        Quality.STEADINESS,
        Quality.LIGHTING,
        Quality.EXPOSURE,
        Quality.TONES,
        Quality.PHOTOMETRY,
    )

    def act(self, given: Given, severity: float) -> Timeline:
        weight = severity * _growth(given)
        ones = np.ones_like(weight)
        factors = np.stack([1 + 0.45 * weight, ones, 1 - 0.3 * weight], -1)
        return _stretch_target(given, factors)

    def textures(self, given: Given, severity: float) -> Textures:
        model, weight = given.world.scene.model, severity * _growth(given)
        own = {int(model.geom_matid[g]) for g in given.target}
        others = {int(model.geom_matid[g]) for g in range(model.ngeom) if g not in given.target}
        random = given.random(self.name)
        before = {t: texture_image(model, t) for m in sorted(own - others) if (t := texture_of(model, m)) >= 0}
        spots = {t: random.random((8, 8)).repeat(16, 0).repeat(16, 1) for t in before}
        return lambda frame: {
            t: _morph(image, spots[t], weight[frame]) if weight[frame] else image for t, image in before.items()
        }

    def measure(self, given: Given, shown: Shown) -> float:
        size = [np.linalg.norm(t.linear[-1][given.target[0]][0]) for t in (given.timeline, shown.timeline)]
        return float(size[1] / size[0] - 1)


class Teleport(Fault):
    name = "teleport"
    says = "the target comes back in another place"
    quantity = "displacement after the return, metres"
    unseen = True
    moves = (Move(Quality.FIDELITY), Move(Quality.STATE), Move(Quality.GEOMETRY))
    stays = (Stay(Quality.PICTURE), Stay(Quality.CAMERA), Stay(Quality.EARLY))

    def act(self, given: Given, severity: float) -> Timeline:
        camera = given.timeline.camera.poses[0]
        right = np.array([camera[0, 0], camera[1, 0], 0.0])
        place = given.timeline.position[given.back, given.target].mean(0)
        # Towards the middle of the free place, so that it does not end up inside a prop.
        side = -np.sign(place @ right) or 1.0
        shift = severity * 1.6 * given.unit * side * right / np.linalg.norm(right)
        position = given.timeline.position.copy()
        position[given.unseen :, given.target] += shift
        return replace(given.timeline, position=position)

    def measure(self, given: Given, shown: Shown) -> float:
        return float(_displacement(given, shown)[given.back :].mean())


class Floating(Fault):
    name = "floating"
    says = "gravity does not hold the target: it rises, faster and faster"
    quantity = "upward acceleration that nothing explains, m/s2"
    moves = (Move(Quality.FIDELITY), Move(Quality.STATE))
    stays = still(
        Quality.PICTURE,
        Quality.CAMERA,
        Quality.STEADINESS,
        Quality.LIGHTING,
        Quality.EXPOSURE,
        Quality.PHOTOMETRY,
    )

    def act(self, given: Given, severity: float) -> Timeline:
        time = given.timeline.time
        return _lift(given, severity * 1.2 * given.unit * (time / time[-1]) ** 2)

    def measure(self, given: Given, shown: Shown) -> float:
        rise = (shown.timeline.position - given.timeline.position)[:, given.target[0], 2]
        return float(2 * np.polyfit(given.timeline.time, rise, 2)[0])


class PassThrough(Fault):
    name = "pass_through"
    version = 2
    says = "contacts do not hold the target: it sinks into what carries it"
    quantity = "depth below its true place at the end, metres"
    moves = (Move(Quality.FIDELITY), Move(Quality.STATE))
    stays = (Stay(Quality.PICTURE), Stay(Quality.CAMERA))

    def act(self, given: Given, severity: float) -> Timeline:
        # The same depth hardly shows in a tall thing, and what sinks only at the end may be out of view by then.
        depth = max(_LEAST_DEPTH * given.unit, _DEPTH * _height(given))
        return _lift(given, -severity * depth * _growth(given))

    def measure(self, given: Given, shown: Shown) -> float:
        return float(_displacement(given, shown)[-1])


def _growth(given: Given) -> Floats:
    """(N,) 0 at the start, 1 from the return on."""
    return np.clip(np.arange(len(given.timeline)) / max(given.back, 1), 0, 1)


def _height(given: Given) -> float:
    """Metres from the lowest to the highest point of the target in the first frame."""
    timeline, own = given.timeline, given.target
    boxes = given.world.scene.model.geom_aabb[own]
    upwards = timeline.linear[0, own, 2]
    middle = timeline.position[0, own, 2] + (upwards * boxes[:, :3]).sum(1)
    half = (np.abs(upwards) * boxes[:, 3:]).sum(1)
    return float((middle + half).max() - (middle - half).min())


def _lift(given: Given, height: Floats) -> Timeline:
    position = given.timeline.position.copy()
    position[:, given.target, 2] += height[:, None]
    return replace(given.timeline, position=position)


def _stretch_target(given: Given, factors: Floats) -> Timeline:
    """Scale the target along the world's axes about the middle of its parts by (N, 3) factors; its foot stays down."""
    timeline, own = given.timeline, given.target
    position, linear = timeline.position.copy(), timeline.linear.copy()
    about = position[:, own].mean(1, keepdims=True)
    # World models keep things on the floor; scaling about the ground plane does that for every shape.
    about[..., 2] = 0
    position[:, own] = about + (position[:, own] - about) * factors[:, None]
    linear[:, own] *= factors[:, None, :, None]
    return replace(timeline, position=position, linear=linear)


def _displacement(given: Given, shown: Shown) -> Floats:
    """(N,) metres between the target's true and shown place."""
    apart = (shown.timeline.position - given.timeline.position)[:, given.target]
    return np.asarray(np.linalg.norm(apart.mean(1), axis=-1))


def _morph(image: NDArray[np.uint8], spots: Floats, weight: float) -> NDArray[np.uint8]:
    """Turn the hue by up to 60 degrees and let a coarse pattern come through."""
    angle = np.radians(60 * weight)
    third, root = (1 - np.cos(angle)) / 3, np.sin(angle) / np.sqrt(3)
    c = np.cos(angle)
    turn = np.array([[c, -root, root], [root, c, -root], [-root, root, c]]) + third
    turned = image @ turn.T * (1 - 0.4 * weight * (spots > 0.5)[: image.shape[0], : image.shape[1], None])
    return np.asarray(np.clip(np.round(turned), 0, 255), np.uint8)
