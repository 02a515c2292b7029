"""The other reading of a flow, for clips whose first reading is a wrong minimum.

What a camera sees of a plane has two readings that differ only from second order on: direction of motion and normal of
the plane change places, and the turn makes up for it. A camera that advances over level ground (motion ahead, normal
down) looks like one that sinks towards a wall (motion down, normal ahead) and tilts meanwhile. The tracker starts with
equal depths everywhere, which is that wall, so on such clips it settles in the second reading: there the misses are
small but not zero, and smallest around. No damping leads out of it. What does: to exchange the two on purpose, adjust
again with the same flow, and keep what explains it better.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from worldgauge.instruments.neural.networks.droid.adjustment import Edges, Solver, adjust, adjust_motion
from worldgauge.instruments.neural.networks.droid.keyframes import Keyframes
from worldgauge.instruments.neural.networks.droid.projection import rays, relative

WELL_READ = 1e-4
"""Px squared: a mean miss of the feature map below which nothing is left to explain."""
CLEARLY = 0.9
"""Share of the first reading's misses below which the other is taken."""
FARTHEST = 0.05
"""Share of the plane's largest inverse depth that is given to what lies on or behind its horizon."""
MOTION_STEPS, STEPS = 4, 12


def read_again(keyframes: Keyframes, edges: Edges, damping: Tensor, solver: Solver) -> bool:
    """Whether the other reading of the flow is clearly the better one; poses and depths are then those of it."""
    count = len(keyframes)
    before = mean_miss(keyframes, edges)
    plane = plane_across(keyframes)
    if plane is None or not before > WELL_READ:
        return False
    poses, depths = keyframes.poses[:count].clone(), keyframes.depths[:count].clone()
    keyframes.poses[:count], keyframes.depths[:count] = poses[0].clone(), plane
    known = keyframes.poses, keyframes.depths
    free = range(1, count)
    adjust_motion(*known, keyframes.intrinsics, edges, free, replace(solver, iterations=MOTION_STEPS))
    for _ in range(STEPS):
        adjust(*known, damping, keyframes.intrinsics, edges, free, replace(solver, iterations=1))
        keyframes.keep_positive()
    if mean_miss(keyframes, edges) < CLEARLY * before:
        return True
    keyframes.poses[:count], keyframes.depths[:count] = poses, depths
    return False


def plane_across(keyframes: Keyframes) -> Tensor | None:
    """Inverse depths (h, w), 1 in the mean, of a plane that the cameras move straight at; None if they do not move."""
    frames = torch.arange(len(keyframes), device=keyframes.depths.device)
    way = relative(keyframes.poses, frames[:-1], frames[1:])[:, :3, 3].sum(0)
    size = (keyframes.depths.shape[1], keyframes.depths.shape[2])
    plane = (way.to(keyframes.depths.dtype) @ rays(size, keyframes.intrinsics)).view(size)
    # Of the plane before and the plane behind, the one that is seen.
    plane = plane if float(plane.mean()) > 0 else -plane
    nearest = float(plane.max())
    if not nearest > 0:
        return None
    plane = plane.clamp(min=FARTHEST * nearest)
    return plane / plane.mean()


def mean_miss(keyframes: Keyframes, edges: Edges) -> float:
    """Mean squared distance between prediction and flow by the flow's weights, px squared.

    Points that went behind a camera count too, or a reading could gain by putting them there.
    """
    device = keyframes.depths.device
    sources, targets = (torch.from_numpy(part).to(device) for part in (edges.sources, edges.targets))
    places, _ = keyframes.reproject(sources, targets)
    total = edges.weights.sum(dtype=torch.float64)
    missed = (edges.weights * (places - edges.places) ** 2).sum(dtype=torch.float64)
    return float(missed / total.clamp(min=1e-12))
