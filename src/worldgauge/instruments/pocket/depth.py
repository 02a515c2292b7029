"""Depth from the camera's motion: flow between frames with parallax, triangulated with known poses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored
from worldgauge.core.instrument import Instrument
from worldgauge.functional.flow import forward_backward_error
from worldgauge.functional.lens import Lens
from worldgauge.functional.pose import geodesic_deg, relative
from worldgauge.functional.triangulation import inverse_depth, pixels_per_inverse_depth
from worldgauge.instruments.pocket.corner_tracks import Grey
from worldgauge.instruments.pocket.flow import DisFlow
from worldgauge.instruments.pocket.matches import as_grey

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

BASELINES = (0.03, 0.08)
"""Wanted displacement of a point at typical depth, as shares of the frame's width; one view on each side for each."""
LARGEST_TURN = 25.0
"""Degrees between two frames that are compared."""
FLOW_NOISE = 0.35
"""Px; standard error assumed of a flow vector that passed its checks."""
CONSISTENT_WITHIN = 1.0
"""Px; forward and backward flow, and flow and epipolar line, must agree this well."""
RELATIVE_ERROR = 0.15
"""Largest standard error of an inverse depth, as a share of itself (or of half the typical one), to be claimed."""
LEAST_TEXTURE = 1.5
"""Grey levels; standard deviation of a 7x7 neighbourhood below which flow is a guess."""


@dataclass(frozen=True)
class MotionDepth(Instrument):
    """Depth of static surfaces, in the unit of the camera path; says where it knows and where it does not."""

    seat: ClassVar[str] = "depth"
    name: ClassVar[str] = "motion"

    def maps(
        self, frames: Sequence[NDArray[np.uint8]], poses: Floats, lens: Lens, chosen: Sequence[int]
    ) -> tuple[NDArray[np.float32], Bools]:
        """Depth (F, H, W) along the optical axis and validity of the chosen frames of a clip.

        Depth is 0 where it is not valid. `Unscored("no parallax")` when no chosen frame has a valid pixel.
        """
        pairs = [_Pairing(as_grey(frames[k]), poses[k], lens) for k in chosen]
        depth = np.zeros((len(pairs), *pairs[0].grey.shape), np.float32)
        for k, view, out in zip(chosen, pairs, depth, strict=True):
            for other in sources(poses, k, lens):
                view.add(as_grey(frames[other]), poses[other])
            out[...] = view.depth()
        if not depth.any():
            raise Unscored("no parallax")
        return depth, depth > 0


def sources(poses: Floats, frame: int, lens: Lens) -> list[int]:
    """Frames to compare one with: before and after it, each nearest to a wanted baseline."""
    baseline = np.linalg.norm(poses[:, :3, 3] - poses[frame, :3, 3], axis=1) * lens.focal / lens.size[0]
    usable = geodesic_deg(poses[frame, :3, :3], poses[:, :3, :3]) < LARGEST_TURN
    usable &= (baseline > 0.5 * BASELINES[0]) & (baseline < 2 * BASELINES[-1])
    found: set[int] = set()
    for side in (np.arange(len(poses)) < frame, np.arange(len(poses)) > frame):
        options = np.flatnonzero(usable & side)
        if len(options):
            found |= {int(options[np.abs(np.log(baseline[options] / wanted)).argmin()]) for wanted in BASELINES}
    return sorted(found)


class _Pairing:
    """One frame and what other views say about its inverse depths: a weighted mean, and how well they agree."""

    def __init__(self, grey: Grey, pose: Floats, lens: Lens) -> None:
        self.grey, self._pose, self._lens = grey, pose, lens
        height, width = grey.shape
        y, x = np.mgrid[:height, :width] + 0.5
        self._flat = np.stack([x - lens.centre[0], y - lens.centre[1]], axis=-1) / lens.focal
        self._ray = np.concatenate([self._flat, np.ones((height, width, 1))], axis=-1)
        self._weight, self._sum, self._square = (np.zeros((height, width)) for _ in range(3))
        self._views = np.zeros((height, width), int)

    def add(self, grey: Grey, pose: Floats) -> None:
        """Compare with another frame, first turned to this one's orientation so that only parallax is left."""
        step = relative(self._pose, pose)
        turned, inside = _turn_image(grey, step[:3, :3], self._lens)
        flow = DisFlow(preset="medium")
        forward, backward = flow.flow(self.grey, turned), flow.flow(turned, self.grey)
        error, seen = forward_backward_error(forward, backward)
        centre = step[:3, 3]
        flat = self._flat + forward / self._lens.focal
        target = np.concatenate([flat, np.ones((*flat.shape[:2], 1))], axis=-1)
        r = inverse_depth(self._ray, target, centre)
        slope = pixels_per_inverse_depth(flat, centre, self._lens.focal)
        valid = seen & inside & (error < CONSISTENT_WITHIN) & (r > -FLOW_NOISE / np.maximum(slope, 1e-6))
        valid &= self._off_line(r, flat, centre) < CONSISTENT_WITHIN
        weight = np.where(valid, (slope / FLOW_NOISE) ** 2, 0.0)
        self._weight += weight
        self._sum += weight * r
        self._square += weight * r**2
        self._views += valid

    def _off_line(self, r: Floats, flat: Floats, centre: Floats) -> Floats:
        """Px between where the flow ends and where a point at the best inverse depth would be seen."""
        point = self._ray - r[..., None] * centre
        miss = point[..., :2] / np.maximum(point[..., 2:], 1e-3) - flat
        return np.asarray(self._lens.focal * np.linalg.norm(miss, axis=-1))

    def depth(self) -> NDArray[np.float32]:
        """(H, W); 0 where the views do not agree, do not suffice, or see no texture."""
        known = self._weight > 0
        if not known.any():
            return np.zeros(self.grey.shape, np.float32)
        weight = np.maximum(self._weight, 1e-12)
        r = self._sum / weight
        spread = np.sqrt(np.maximum(self._square / weight - r**2, 0.0))
        error = np.maximum(1 / np.sqrt(weight), np.where(self._views > 1, spread, 0.0))
        typical = float(np.median(r[known]))
        claimed = (
            known & (error < RELATIVE_ERROR * np.maximum(r, 0.5 * typical)) & (_texture(self.grey) > LEAST_TEXTURE)
        )
        return np.where(claimed, 1 / np.maximum(r, 0.02), 0.0).astype(np.float32)


def _turn_image(grey: Grey, rotation: Floats, lens: Lens) -> tuple[Grey, Bools]:
    """The frame as the same camera would see it without `rotation` (its orientation in the first camera)."""
    import cv2

    # OpenCV counts pixel centres from 0.
    matrix = lens.matrix() - [[0, 0, 0.5], [0, 0, 0.5], [0, 0, 0]]
    home = matrix @ rotation @ np.linalg.inv(matrix)
    size = grey.shape[::-1]
    turned = cv2.warpPerspective(grey, home, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    inside = cv2.warpPerspective(np.full(grey.shape, 255, np.uint8), home, size, flags=cv2.INTER_NEAREST)
    return np.asarray(turned, np.uint8), inside > 0


def _texture(grey: Grey) -> Floats:
    """(H, W) standard deviation of 7x7 neighbourhoods."""
    import cv2

    image = grey.astype(np.float64)
    mean = cv2.blur(image, (7, 7))
    return np.asarray(np.sqrt(np.maximum(cv2.blur(image**2, (7, 7)) - mean**2, 0.0)))
