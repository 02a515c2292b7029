"""The surroundings do not keep still."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from worldgauge.blocks.faults.base import Fault, Given, Move, Shown, onset, still
from worldgauge.blocks.scene import Instance
from worldgauge.blocks.timeline import Timeline
from worldgauge.core.gauge import Quality


class BackgroundSwap(Fault):
    name = "background_swap"
    says = "a share of the props is drawn anew while the observer looks away"
    quantity = "share of props that look different after the return"
    unseen = True
    moves = (Move(Quality.FIDELITY), Move(Quality.GEOMETRY), Move(Quality.STYLE), Move(Quality.SCENERY))
    stays = still(Quality.PRESENCE, Quality.CAMERA, Quality.EARLY)

    def act(self, given: Given, severity: float) -> Timeline:
        timeline, props = given.timeline, _props(given)
        random = given.random(self.name)
        order = random.permutation(len(props))
        factors, turns = random.uniform(0.55, 1.5, (len(props), 2)), random.uniform(60, 180, len(props))
        position, linear, material = timeline.position.copy(), timeline.linear.copy(), timeline.material.copy()
        used = np.unique(np.concatenate([timeline.material[0][p.geoms] for p in props])) if props else np.zeros(0, int)
        looks = random.integers(1, max(2, len(used)), len(props))
        for k in order[: round(severity * len(props))]:
            own, later = props[k].geoms, slice(given.unseen, None)
            change = _turn_and_scale(float(turns[k]), *factors[k])
            foot = position[later][:, own].mean(1, keepdims=True)
            foot[..., 2] = 0
            position[later, own] = foot + (position[later][:, own] - foot) @ change.T
            linear[later, own] = change @ linear[later][:, own]
            material[later, own] = used[(np.searchsorted(used, material[later][:, own]) + looks[k]) % len(used)]
        return replace(timeline, position=position, linear=linear, material=material)

    def measure(self, given: Given, shown: Shown) -> float:
        props, last = _props(given), len(given.timeline) - 1
        true, now = given.timeline, shown.timeline
        changed = [np.abs(true.linear[last, p.geoms] - now.linear[last, p.geoms]).max(initial=0) > 1e-6 for p in props]
        return float(np.mean(changed)) if changed else 0.0


class GeometryWobble(Fault):
    name = "geometry_wobble"
    says = "every thing that should stand still sways and bends on its own"
    quantity = "mean sway of the static things, metres"
    moves = (Move(Quality.GEOMETRY), Move(Quality.PHOTOMETRY), Move(Quality.FIDELITY), Move(Quality.COURSE))
    stays = still(Quality.STYLE, Quality.PICTURE, Quality.TONES, Quality.IDENTITY)

    def act(self, given: Given, severity: float) -> Timeline:
        timeline, count = given.timeline, len(given.timeline)
        random = given.random(self.name)
        position, linear = timeline.position.copy(), timeline.linear.copy()
        strength = severity * onset(count)
        for instance in given.world.scene.instances:
            phase, direction = random.uniform(0, 2 * np.pi, 2), random.standard_normal(3) * (1, 1, 0.3)
            if instance is given.world.scene.target and not _stands(given):
                continue
            # Two periods that do not fit each other, a few frames long: no pose of the scene is held.
            turns = 2 * np.pi * np.arange(count)
            wave = strength * (np.sin(turns / 7 + phase[0]) + np.sin(turns / 11.3 + phase[1])) / 2
            own = instance.geoms
            position[:, own] += (0.18 * given.unit * wave)[:, None, None] * direction
            linear[:, own] *= (1 + 0.08 * wave)[:, None, None, None]
        return replace(timeline, position=position, linear=linear)

    def measure(self, given: Given, shown: Shown) -> float:
        still = [g for i in given.world.scene.instances if i is not given.world.scene.target for g in i.geoms]
        apart = (shown.timeline.position - given.timeline.position)[:, still]
        return float(np.linalg.norm(apart, axis=-1).mean())


def _stands(given: Given) -> bool:
    """Whether the target is one of the things that should stand still."""
    timeline, own = given.timeline, given.target
    return all(np.ptp(part[:, own], axis=0).max(initial=0) == 0 for part in (timeline.position, timeline.linear))


def _props(given: Given) -> list[Instance]:
    return [i for i in given.world.scene.instances if i.kind == "prop"]


def _turn_and_scale(angle: float, wide: float, high: float) -> np.ndarray:
    """(3, 3): turn about the vertical, then scale across and along it."""
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    return np.asarray(np.diag([wide, wide, high]) @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]))
