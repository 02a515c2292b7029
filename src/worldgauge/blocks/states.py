"""Where every moving thing is and how large it is, per frame."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks.scene import Instance, Scene
from worldgauge.blocks.timeline import Timeline

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class States:
    """Boxes and orientation of the M things that move or change; world axes, metres."""

    names: tuple[str, ...]
    low: Floats
    """(N, M, 3) lowest corner of the axis-aligned box around the thing."""
    high: Floats
    """(N, M, 3) highest corner."""
    linear: Floats
    """(N, M, 3, 3) transform of its first part relative to its first frame."""
    rgba: NDArray[np.float32]
    """(N, M, 4) colour factor of its first part."""

    @property
    def centre(self) -> Floats:
        """(N, M, 3)"""
        return (self.low + self.high) / 2


def read_states(scene: Scene, timeline: Timeline) -> States:
    """Track the target and every other instance that does not stay as it is."""
    moving = [i for i in scene.instances if i is scene.target or _changes(i, timeline)]
    low, high, linear, rgba = [], [], [], []
    for instance in moving:
        points = np.concatenate([_part(scene, timeline, g) for g in instance.geoms], axis=1)
        low.append(points.min(1))
        high.append(points.max(1))
        first = timeline.linear[:, instance.geoms[0]]
        linear.append(first @ np.linalg.pinv(first[0]))
        rgba.append(timeline.rgba[:, instance.geoms[0]])
    columns = (np.stack(column, 1) for column in (low, high, linear, rgba))
    return States(tuple(i.name for i in moving), *columns)


def instance_box(scene: Scene, timeline: Timeline, instance: Instance, frame: int = 0) -> tuple[Floats, Floats]:
    """Lowest and highest corner (3,) of an instance in one frame, world axes, metres."""
    one = replace(timeline, position=timeline.position[frame : frame + 1], linear=timeline.linear[frame : frame + 1])
    points = np.concatenate([_part(scene, one, g)[0] for g in instance.geoms])
    return points.min(0), points.max(0)


def _changes(instance: Instance, timeline: Timeline) -> bool:
    g = instance.geoms
    return any(
        np.abs(a[:, g] - a[:1, g]).max(initial=0) > 1e-9 for a in (timeline.position, timeline.linear, timeline.rgba)
    )


def _part(scene: Scene, timeline: Timeline, geom: int) -> Floats:
    """World vertices of one geom, (N, V, 3)."""
    model = scene.model
    mesh = model.geom_dataid[geom]
    start, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    own = np.asarray(model.mesh_vert[start : start + count], float)
    return np.asarray(np.einsum("nij,vj->nvi", timeline.linear[:, geom], own) + timeline.position[:, geom, None])
