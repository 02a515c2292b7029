"""Exact forward optical flow and what it loses from sight.

A pixel of frame t shows a point of some geom. The geom's own coordinates of that point do not change when it moves,
turns or is stretched, so its place in frame t+1 follows from depth, the two cameras and the geom's two transforms.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks.render import Geometry
from worldgauge.blocks.timeline import Timeline

Floats = NDArray[np.float64]
_SNAP = 0.02
"""Pixels: a neighbour with less weight than this in a bilinear look-up does not matter."""


def pixel_rays(intrinsics: Floats, size: tuple[int, int]) -> Floats:
    """(H, W, 3) camera-frame directions through the pixel centres, z = 1."""
    width, height = size
    u, v = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    return np.asarray(np.stack([u, v, np.ones_like(u)], -1) @ np.linalg.inv(intrinsics).T)


def geom_motion(timeline: Timeline, frame: int) -> Floats:
    """(G, 4, 4) world transforms that carry every geom from `frame` to the next one."""
    count = timeline.position.shape[1]
    out = np.tile(np.eye(4), (count, 1, 1))
    for g in np.flatnonzero(timeline.moved(frame, frame + 1)):
        if np.linalg.det(timeline.linear[frame, g]) == 0:
            continue  # hidden: no pixel shows it
        turn = timeline.linear[frame + 1, g] @ np.linalg.inv(timeline.linear[frame, g])
        out[g, :3, :3] = turn
        out[g, :3, 3] = timeline.position[frame + 1, g] - turn @ timeline.position[frame, g]
    return out


def forward_flow(timeline: Timeline, geometry: Geometry, frame: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Flow (H, W, 2) in pixels (x, y) from `frame` to the next, and whether each pixel's point is out of sight there.

    Out of sight: outside the picture, behind the camera, or hidden by another surface. Also pixels beside such a place
    are marked, where a bilinear look-up would mix in another surface.
    """
    camera, size = timeline.camera, timeline.camera.size
    assert camera.intrinsics is not None and size is not None
    depth, geoms = geometry.depth[frame], geometry.geoms[frame]
    rays = pixel_rays(camera.intrinsics[frame], size)
    # The sky is infinitely far: only its direction counts.
    sky = geoms < 0
    homogeneous = np.concatenate([np.where(sky[..., None], rays, rays * depth[..., None]), (~sky)[..., None]], -1)
    projection = camera.intrinsics[frame + 1] @ np.linalg.inv(camera.poses[frame + 1])[:3]
    still = projection @ camera.poses[frame]
    image = homogeneous @ still.T
    motion = geom_motion(timeline, frame)
    for g in np.unique(geoms[~sky]):
        if (motion[g] != np.eye(4)).any():
            mine = geoms == g
            image[mine] = homogeneous[mine] @ (projection @ motion[g] @ camera.poses[frame]).T
    z = image[..., 2]
    ahead = z > 1e-6
    place = np.where(ahead[..., None], image[..., :2] / np.where(ahead, z, 1.0)[..., None], np.nan)
    u, v = np.meshgrid(np.arange(size[0]) + 0.5, np.arange(size[1]) + 0.5)
    flow = place - np.stack([u, v], -1)
    lost = _out_of_sight(place, np.where(sky, np.inf, z), geoms, geometry, frame + 1)
    return np.nan_to_num(flow, nan=0.0).astype(np.float32), lost | ~ahead


def _out_of_sight(
    place: Floats, z: Floats, geoms: NDArray[np.int16], geometry: Geometry, after: int
) -> NDArray[np.bool_]:
    """True where one of the four pixels around `place` in frame `after` shows another surface."""
    height, width = z.shape
    x, y = place[..., 0] - 0.5, place[..., 1] - 0.5
    lost = ~((x >= -0.5) & (y >= -0.5) & (x <= width - 0.5) & (y <= height - 0.5))
    left, right = _neighbours(x, width)
    top, bottom = _neighbours(y, height)
    near, far = np.full(z.shape, np.inf), np.full(z.shape, -np.inf)
    for row, column in ((top, left), (top, right), (bottom, left), (bottom, right)):
        lost |= geometry.geoms[after][row, column] != geoms
        found = geometry.depth[after][row, column]
        near, far = np.minimum(near, found), np.maximum(far, found)
    with np.errstate(invalid="ignore"):
        # The same geom may hide itself: the point must lie at the depth that is seen there. A tenth of the local
        # depth range allows for curvature between pixel centres.
        slack = 0.1 * np.nan_to_num(far - near) + 2e-3 * z
        apart = (z < near - slack) | (z > far + slack)
    return np.asarray(lost | (apart & np.isfinite(z)))


def _neighbours(at: Floats, count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pixels before and after a place along one axis; the same one where the place hardly leaves its centre."""
    nearest = np.rint(np.nan_to_num(at))
    snapped = np.where(np.abs(np.nan_to_num(at) - nearest) < _SNAP, nearest, np.nan_to_num(at))
    before, after = (np.clip(f(snapped), 0, count - 1).astype(np.intp) for f in (np.floor, np.ceil))
    return before, after
