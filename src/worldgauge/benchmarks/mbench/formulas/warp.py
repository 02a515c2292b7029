"""A later frame brought to the viewpoint of an earlier one, and how alike the two are inside a mask."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.photometric import ssim_map
from worldgauge.functional.pose import relative

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Region = Literal["masked", "map", "whole"]


def warped_to(
    image: Image, depth: Floats, intrinsics: Floats, here: Floats, there: Floats, depth_there: Floats | None = None,
    *, occluded: float = 0.05,
) -> tuple[Image, Mask]:  # fmt: skip
    """What the camera `there` saw, `image` (H, W, 3), as the camera `here` would see it, and where that is known.

    Pixels of here are put into space by their `depth` (H, W), 0 where it is unknown, moved into the other camera and
    read there bilinearly. Known is what lies inside that picture, before it, and not behind what it sees there: by
    `depth_there`, more than the share `occluded` farther. `intrinsics` (3, 3), pixel centres at +0.5; poses (4, 4)
    camera-to-world.

    >>> picture = np.arange(64, dtype=np.uint8).reshape(8, 8, 1).repeat(3, 2)
    >>> lens = np.array([[8.0, 0, 4], [0, 8, 4], [0, 0, 1]])
    >>> same, known = warped_to(picture, np.ones((8, 8)), lens, np.eye(4), np.eye(4))
    >>> bool((same == picture).all()), bool(known.all())
    (True, True)
    """
    import cv2

    height, width = depth.shape
    x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    focal, centre = intrinsics[[0, 1], [0, 1]], intrinsics[:2, 2]
    rays = np.stack([(x - centre[0]) / focal[0], (y - centre[1]) / focal[1], np.ones_like(x)], -1)
    moved = relative(there, here)
    points = (rays * depth[..., None]) @ moved[:3, :3].T + moved[:3, 3]
    ahead = (depth > 0) & (points[..., 2] > 1e-6)
    z = np.where(ahead, points[..., 2], 1.0)
    u = focal[0] * points[..., 0] / z + centre[0] - 0.5
    v = focal[1] * points[..., 1] / z + centre[1] - 0.5
    slack = 1e-3
    known = ahead & (u >= -slack) & (u <= width - 1 + slack) & (v >= -slack) & (v <= height - 1 + slack)
    at = np.clip(u, 0, width - 1).astype(np.float32), np.clip(v, 0, height - 1).astype(np.float32)
    seen: Image = np.asarray(cv2.remap(image, *at, cv2.INTER_LINEAR), np.uint8)
    if depth_there is not None:
        nearest = np.asarray(cv2.remap(depth_there.astype(np.float32), *at, cv2.INTER_NEAREST))
        known &= (nearest <= 0) | (points[..., 2] <= nearest * (1 + occluded))
    return seen, known


def moved_by(mask: Mask, later: Mask, depth: Floats, intrinsics: Floats, here: Floats, there: Floats) -> float:
    """How far a thing is from where it would be seen if it had stood still, in its own sizes; NaN where it is unseen.

    The middle of its early `mask` (H, W) is put into space by its `depth`, moved into the later camera, and held
    against the middle of its `later` mask; its size is the root of its early area. Masks touch no border.

    >>> box = np.zeros((20, 20), bool)
    >>> box[4:8, 4:8] = True
    >>> lens = np.array([[20.0, 0, 10], [0, 20, 10], [0, 0, 1]])
    >>> round(moved_by(box, np.roll(box, 4, axis=1), np.ones((20, 20)), lens, np.eye(4), np.eye(4)), 9)
    1.0
    """
    if not mask.any() or not later.any() or _cut(mask) or _cut(later):
        return float("nan")
    (y, x), (v, u) = ((float(at.mean()) + 0.5 for at in np.nonzero(part)) for part in (mask, later))
    known = depth[mask]
    distance = float(np.median(known[known > 0])) if (known > 0).any() else 1.0
    ray = np.linalg.inv(intrinsics) @ np.array([x, y, 1.0])
    moved = relative(there, here)
    seen = intrinsics @ (moved[:3, :3] @ (distance * ray) + moved[:3, 3])
    if seen[2] <= 0:
        return float("nan")
    return float(np.hypot(seen[0] / seen[2] - u, seen[1] / seen[2] - v) / np.sqrt(mask.sum()))


def _cut(mask: Mask) -> bool:
    """Whether a mask touches the border: its middle is not that of the thing then."""
    return bool(mask[[0, -1]].any() or mask[:, [0, -1]].any())


def masked_ssim(image: Image, other: Image, mask: Mask, known: Mask, region: Region = "masked") -> float:
    """SSIM of two pictures inside a mask, over its pixels that are known in both; NaN where there is none.

    `masked`: both pictures are black outside the mask, and the mean is over its pixels; `map`: the surroundings stay,
    and the mean is over the mask's pixels; `whole`: black outside, and the mean is over the whole picture, which a
    small mask makes almost 1.

    Source: MBench, Eq. 4.

    >>> grey = np.full((16, 16, 3), 90, np.uint8)
    >>> inside = np.zeros((16, 16), bool)
    >>> inside[4:12, 4:12] = True
    >>> masked_ssim(grey, grey, inside, ~np.zeros_like(inside))
    1.0
    """
    where = mask & known
    if not where.any():
        return float("nan")
    if region != "map":
        image, other = (np.where(where[..., None], picture, 0).astype(np.uint8) for picture in (image, other))
    similarity = ssim_map(image, other)
    mean = similarity.mean() if region == "whole" else similarity[where].mean()
    return float(np.clip(mean, -1.0, 1.0))
