"""Where the points of one frame are seen in another, and how far apart two frames are by it.

Poses are world-to-camera matrices (N, 4, 4) in double precision, depths are inverse ones (N, h, w), and intrinsics
(fx, fy, cx, cy) are px of that map; `sources` and `targets` number the two frames of each edge.
"""

from __future__ import annotations

import torch
from torch import Tensor

from worldgauge.instruments.neural.networks.droid.motions import inverse

NEAREST = 0.2
"""A point counts where its depth in the second frame is more than this share of that in the first."""
NOT_DIVIDED = 0.1
"""Below this share a point is projected as if it had kept its depth, so that no number explodes."""
NEAREST_ADJUSTED = 0.25
"""The same share for distances of frames and for the adjustment."""
LEAST_SEEN = 0.75
TOO_FAR = 1000.0
"""Distance of frames that share less than `LEAST_SEEN` of their points."""
PAIRS_AT_ONCE = 512


def rays(shape: tuple[int, int], intrinsics: Tensor) -> Tensor:
    """Directions (3, h w) of the pixels of a map, depth 1."""
    fx, fy, cx, cy = intrinsics
    rows, columns = torch.meshgrid(
        torch.arange(shape[0], device=intrinsics.device, dtype=intrinsics.dtype),
        torch.arange(shape[1], device=intrinsics.device, dtype=intrinsics.dtype),
        indexing="ij",
    )
    return torch.stack(((columns - cx) / fx, (rows - cy) / fy, torch.ones_like(rows))).flatten(1)


def relative(poses: Tensor, sources: Tensor, targets: Tensor) -> Tensor:
    """The motions (E, 4, 4) from the first camera of each edge to its second."""
    return poses[targets] @ inverse(poses[sources])


def moved(motion: Tensor, depths: Tensor, directions: Tensor) -> Tensor:
    """Points (E, 3, h w) of maps (E, h, w) in the axes of the second camera, each divided by its depth in the first."""
    motion = motion.to(depths.dtype)
    return motion[:, :3, :3] @ directions + motion[:, :3, 3:] * depths.flatten(1)[:, None]


def reprojected(
    poses: Tensor, depths: Tensor, intrinsics: Tensor, sources: Tensor, targets: Tensor
) -> tuple[Tensor, Tensor]:
    """Places (E, 2, h, w) of each source frame's pixels in its target frame, px, and whether they count (E, h, w)."""
    size = (depths.shape[1], depths.shape[2])
    points = moved(relative(poses, sources, targets), depths[sources], rays(size, intrinsics))
    z = torch.where(points[:, 2] < NOT_DIVIDED, 1.0, points[:, 2])
    places = points[:, :2] / z[:, None] * intrinsics[:2, None] + intrinsics[2:, None]
    return places.unflatten(2, size), (points[:, 2] > NEAREST).unflatten(1, size)


def frame_distances(
    poses: Tensor, depths: Tensor, intrinsics: Tensor, sources: Tensor, targets: Tensor, turning: float
) -> Tensor:
    """Mean length (E,) of the flow between frames both ways, px: `turning` is the weight of the whole flow, the rest
    that of the flow that their translation alone would make."""
    found = [
        0.5 * (_one_way(poses, depths, intrinsics, i, j, turning) + _one_way(poses, depths, intrinsics, j, i, turning))
        for i, j in zip(sources.split(PAIRS_AT_ONCE), targets.split(PAIRS_AT_ONCE), strict=True)
    ]
    return torch.cat(found)


def _one_way(
    poses: Tensor, depths: Tensor, intrinsics: Tensor, sources: Tensor, targets: Tensor, turning: float
) -> Tensor:
    directions = rays((depths.shape[1], depths.shape[2]), intrinsics)
    motion = relative(poses, sources, targets)
    shift = motion.clone()
    shift[:, :3, :3] = torch.eye(3, dtype=motion.dtype, device=motion.device)
    total, seen = torch.zeros_like(depths[sources, 0, 0]), torch.zeros_like(depths[sources, 0, 0])
    for share, step in ((turning, motion), (1 - turning, shift)):
        points = moved(step, depths[sources], directions)
        valid = points[:, 2] > NEAREST_ADJUSTED
        flow = (points[:, :2] / torch.where(valid, points[:, 2], 1.0)[:, None] - directions[:2]) * intrinsics[:2, None]
        total = total + share * (flow.norm(dim=1) * valid).sum(1)
        seen = seen + share * valid.sum(1).to(seen.dtype)
    return torch.where(seen / directions.shape[1] < LEAST_SEEN, TOO_FAR, total / seen.clamp(min=1e-12))
