"""A static scene as a cloud of coloured points, one for each pixel of the frames, drawn by a depth buffer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.instrument import Instrument
from worldgauge.functional.lens import Lens
from worldgauge.functional.scenes import Floats, Frames, Masks, Picture, SceneCameras, completed
from worldgauge.instruments.pocket.depth import MotionDepth

Images = NDArray[np.uint8]

LONGEST_SIDE = 416
"""Px; larger frames are shrunk: one point for each pixel that is left."""
MOST_POINTS = 4_000_000
SAME_SURFACE = 0.06
"""Points of a pixel that are at most this share farther than the nearest one belong to the same surface."""
NEAR = 0.02
"""Units of the scene; what is nearer to a camera is not drawn."""
GUESSED = 0.5
"""How much of a pixel is covered by points at a guess."""
GAP = 2
"""Px; gaps up to twice this wide between points are closed."""


@dataclass(frozen=True)
class PointSplat(Instrument):
    """Points at the depth that the camera's motion tells; where the camera only turns, far away.

    Every point of a surface counts alike, from whatever frame: a scene that changes becomes a mixture.
    """

    seat: ClassVar[str] = "reconstruction"
    name: ClassVar[str] = "point_splat"
    memory: ClassVar[float] = 0.8
    shows_behind: ClassVar[bool] = True
    """What is left out of one frame is drawn from the others."""

    def reconstruct(
        self,
        frames: Frames,
        cameras: SceneCameras,
        *,
        masks: Masks | None = None,
        sources: Sequence[int] | None = None,
        name: str = "",
    ) -> PointScene:
        """The scene of RGB frames (H, W, 3). Nothing marked by `masks` (H, W) becomes part of it; `sources` are the
        frames it is made of, all of them where nothing is said."""
        small, cameras, masks = shrunk(frames, cameras, masks)
        chosen = list(range(len(small)) if sources is None else sources)
        depth, known = self._depth(small, cameras, chosen, masks)
        return point_scene(small, depth, cameras, chosen, masks, known)

    def _depth(
        self,
        frames: Sequence[Images],
        cameras: SceneCameras,
        chosen: Sequence[int],
        masks: Masks | None,
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_] | None]:
        """Depth maps (F, H, W) of the chosen frames, and where they were seen; None: everywhere."""
        height, width = frames[0].shape[:2]
        if not cameras.moves:
            return np.ones((len(chosen), height, width), np.float32), None
        matrix = cameras.intrinsics[0]
        lens = Lens(float(matrix[0, 0]), (float(matrix[0, 2]), float(matrix[1, 2])), (width, height))
        depth, known = MotionDepth().maps(frames, cameras.poses, lens, chosen)
        if masks is not None:
            known &= ~np.stack([masks[k] for k in chosen])
        typical = float(np.median(depth[known])) if known.any() else 1.0
        for map_, where in zip(depth, known, strict=True):
            map_[...] = completed(map_, where) if where.any() else typical
        return depth, known


@dataclass(frozen=True, eq=False)
class PointScene:
    """Coloured points."""

    cameras: SceneCameras
    centres: NDArray[np.float32]
    """(P, 3)"""
    colours: Images
    """(P, 3) RGB."""
    sure: NDArray[np.bool_] | None = None
    """(P,) whose depth was seen; that of the others is a guess from their neighbours. None: of all."""

    @cached_property
    def _shares(self) -> NDArray[np.float32]:
        return np.asarray(np.ascontiguousarray(self.colours.T, np.float32) / np.float32(255), np.float32)

    def render(
        self, world_to_camera: Floats, intrinsics: Floats, size: tuple[int, int]
    ) -> tuple[Picture, NDArray[np.float32]]:
        """The mean colour of the nearest surface in each pixel; narrow gaps take that of their neighbours.

        Where no point is whose depth was seen it shows those at a guess, and such pixels count as half covered.
        """
        if self.sure is None:
            return self._drawn(None, world_to_camera, intrinsics, size)
        picture, covered = self._drawn(self.sure, world_to_camera, intrinsics, size)
        if not covered.all() and not self.sure.all():
            guess, there = self._drawn(~self.sure, world_to_camera, intrinsics, size)
            open_ = (covered == 0) & (there > 0)
            picture[open_], covered[open_] = guess[open_], GUESSED
        return picture, covered

    def _drawn(
        self, chosen: NDArray[np.bool_] | None, world_to_camera: Floats, intrinsics: Floats, size: tuple[int, int]
    ) -> tuple[Picture, NDArray[np.float32]]:
        width, height = size
        pose, lens = world_to_camera.astype(np.float32), intrinsics.astype(np.float32)
        seen = self.centres @ pose[:3, :3].T
        seen += pose[:3, 3]
        z = seen[:, 2]
        ahead = np.flatnonzero(z > NEAR if chosen is None else chosen & (z > NEAR))
        z = z[ahead]
        column = np.floor(lens[0, 0] * seen[ahead, 0] / z + lens[0, 2])
        row = np.floor(lens[1, 1] * seen[ahead, 1] / z + lens[1, 2])
        inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        pixel = row[inside].astype(np.int64) * width + column[inside].astype(np.int64)
        points, z = ahead[inside], z[inside]
        nearest = np.full(width * height, np.inf, np.float32)
        np.minimum.at(nearest, pixel, z)
        front = z <= nearest[pixel] * (1 + SAME_SURFACE)
        pixel, points = pixel[front], points[front]
        count = np.bincount(pixel, minlength=width * height)
        sums = [np.bincount(pixel, channel[points], width * height) for channel in self._shares]
        colours = np.stack(sums, axis=-1) / np.maximum(count, 1)[:, None]
        return _closed(colours.reshape(height, width, 3).astype(np.float32), count.reshape(height, width) > 0)


def point_scene(
    frames: Frames,
    depth: NDArray[np.float32],
    cameras: SceneCameras,
    chosen: Sequence[int],
    masks: Masks | None = None,
    known: NDArray[np.bool_] | None = None,
) -> PointScene:
    """The points of the chosen frames from depth maps (F, H, W) of theirs, 0 where there is none; where they are not
    `known` (F, H, W) they are guesses."""
    step = max(1, round((len(chosen) * depth[0].size / MOST_POINTS) ** 0.5))
    centres, colours, sure, poses = [], [], [], cameras.poses
    for number, (k, map_) in enumerate(zip(chosen, depth, strict=True)):
        kept = np.zeros(map_.shape, bool)
        kept[step // 2 :: step, step // 2 :: step] = True
        kept &= map_ > 0
        if masks is not None:
            kept &= ~masks[k]
        centres.append(_lifted(map_, kept, poses[k], cameras.intrinsics[k]))
        colours.append(np.asarray(frames[k])[kept])
        if known is not None:
            sure.append(known[number][kept])
    return PointScene(
        cameras, np.concatenate(centres), np.concatenate(colours), np.concatenate(sure) if known is not None else None
    )


def shrunk(
    frames: Frames, cameras: SceneCameras, masks: Masks | None
) -> tuple[list[Images], SceneCameras, list[NDArray[np.bool_]] | None]:
    """Frames, cameras and masks at the size at which points are made."""
    from worldgauge.functional.masks import resize_mask
    from worldgauge.media.resize import resize

    height, width = frames[0].shape[:2]
    shrink = min(1.0, LONGEST_SIDE / max(width, height))
    size = max(1, round(width * shrink)), max(1, round(height * shrink))
    small = [resize(np.asarray(frame), size, "area") for frame in frames]
    marks = None if masks is None else [resize_mask(np.asarray(mask), size[1], size[0]) for mask in masks]
    fitted = cameras.intrinsics.copy()
    fitted[:, 0] *= size[0] / cameras.size[0]
    fitted[:, 1] *= size[1] / cameras.size[1]
    return small, replace(cameras, intrinsics=fitted, size=size), marks


def _lifted(depth: NDArray[np.float32], kept: NDArray[np.bool_], pose: Floats, lens: Floats) -> NDArray[np.float32]:
    """(P, 3) places of the kept pixels of a frame."""
    row, column = np.nonzero(kept)
    ray = np.stack(
        [(column + 0.5 - lens[0, 2]) / lens[0, 0], (row + 0.5 - lens[1, 2]) / lens[1, 1], np.ones(len(row))], axis=1
    )
    return np.asarray((ray * depth[kept][:, None]) @ pose[:3, :3].T + pose[:3, 3], np.float32)


def _closed(picture: Picture, known: NDArray[np.bool_]) -> tuple[Picture, NDArray[np.float32]]:
    import cv2

    if known.all() or not known.any():
        return picture, known.astype(np.float32)
    square = np.ones((2 * GAP + 1, 2 * GAP + 1), np.uint8)
    near = cv2.morphologyEx(known.astype(np.uint8), cv2.MORPH_CLOSE, square) > 0
    weight = cv2.blur(known.astype(np.float32), square.shape)
    mean = cv2.blur(picture, square.shape) / np.maximum(weight, 1e-6)[..., None]
    fill = near & ~known & (weight > 0)
    picture[fill] = mean[fill]
    return picture, (known | fill).astype(np.float32)
