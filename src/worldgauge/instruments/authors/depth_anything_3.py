"""Depth Anything 3 as instruments: camera poses of a whole clip, and depth in their unit (Lin and others, 2025)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored
from worldgauge.instruments.authors.long_clips import spread
from worldgauge.instruments.authors.network import AuthorsNetwork, AuthorsPoses, Frames, View

PATCH = 14
ALL_SKY = "all-sky"
"""Reason code: the nested network sees nothing but sky, at which the authors' code raises an error, too."""


@dataclass(frozen=True)
class _Network(AuthorsNetwork):
    """What its two instruments have in common: the network and how frames are brought to it."""

    environment: ClassVar[str] = "depth-anything-3"
    part: ClassVar[str] = "depth_anything_3.py"
    layout: ClassVar[str]
    """Name of the network in the authors' package."""
    file: ClassVar[str]
    """Id of its weights."""
    whole_frames: ClassVar[bool] = True
    tried_with: ClassVar[dict[str, Any]] = {"longest": 140}

    longest: int = 504
    """Px of the longer side where the network sees it; both sides are then brought to multiples of 14."""
    reference_view: Literal["saddle_balanced", "saddle_sim_range", "first", "middle"] = "saddle_balanced"
    """How it chooses the view that the others are placed against, of three or more."""

    @property
    def weights(self) -> tuple[str, ...]:
        return (self.file,)

    def settings(self) -> dict[str, Any]:
        named = {"weights": self.file, "layout": self.layout, "reference_view": self.reference_view}
        return super().settings() | named

    def working_size(self, width: int, height: int) -> tuple[int, int]:
        return _in_patches(longest_side(width, height, self.longest))

    def prepared(self, frames: Frames) -> tuple[NDArray[np.uint8], View]:
        height, width = frames[0].shape[:2]
        size = self.working_size(width, height)
        stack = np.stack([self._resized(frame) for frame in frames])
        return stack, View((size[0] / width, size[1] / height), size)

    def _resized(self, frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """In two steps, as the authors do: to the longer side, then to whole patches."""
        first = longest_side(frame.shape[1], frame.shape[0], self.longest)
        return _scaled(_scaled(np.ascontiguousarray(frame), first), _in_patches(first))


def longest_side(width: int, height: int, longest: int) -> tuple[int, int]:
    """
    >>> longest_side(1280, 720, 504), longest_side(480, 832, 504)
    ((504, 284), (291, 504))
    """
    scale = longest / max(width, height)
    return max(1, round(width * scale)), max(1, round(height * scale))


def _in_patches(size: tuple[int, int]) -> tuple[int, int]:
    """Each side to the nearest multiple of 14; from the middle to the larger one, and at least one patch.

    >>> _in_patches((504, 284)), _in_patches((291, 7))
    ((504, 280), (294, 14))
    """
    width, height = (max(PATCH, (side + PATCH // 2) // PATCH * PATCH) for side in size)
    return width, height


def _scaled(frame: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.uint8]:
    import cv2

    height, width = frame.shape[:2]
    if size == (width, height):
        return frame
    larger = size[0] > width or size[1] > height
    return np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_CUBIC if larger else cv2.INTER_AREA), np.uint8)


@dataclass(frozen=True)
class DepthAnything3(_Network, AuthorsPoses):
    """Camera poses by Depth Anything 3's camera decoder, all frames in one pass."""


@dataclass(frozen=True)
class DepthAnything3Depth(_Network):
    """Depth by Depth Anything 3, which sees all frames of the clip, in a pass of its own."""

    seat: ClassVar[str] = "depth"

    def maps(
        self, frames: Frames, poses: NDArray[np.float64], lens: object, chosen: Sequence[int]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Depth (F, H, W) of the chosen frames, in units of the clip's median depth as the network's poses are.

        With `most_frames` it sees the chosen ones, and others as far as that leaves room.
        """
        import cv2

        seen = spread(len(frames), self.most_frames, chosen)
        stack, _ = self.prepared([frames[k] for k in seen])
        found = self.asked(stack, [seen.index(k) for k in chosen])
        if not np.isfinite(found["maps"]).all():
            raise Unscored(f"{self.name}: its depth is not finite")
        size = frames[0].shape[1], frames[0].shape[0]
        unit = np.float32(np.median(found["depth"]))
        maps = np.stack([cv2.resize(one, size, interpolation=cv2.INTER_LINEAR) for one in found["maps"]]) / unit
        return np.asarray(maps, np.float32), np.asarray(maps > 0)


@dataclass(frozen=True)
class _Small(_Network):
    file: ClassVar[str] = "depth_anything_3_small"
    layout: ClassVar[str] = "da3-small"
    memory: ClassVar[float] = 4.0


@dataclass(frozen=True)
class DepthAnything3Small(_Small, DepthAnything3):
    """Depth Anything 3 Small."""

    name: ClassVar[str] = "depth_anything_3_small"


@dataclass(frozen=True)
class DepthAnything3SmallDepth(_Small, DepthAnything3Depth):
    """Depth by Depth Anything 3 Small."""

    name: ClassVar[str] = "depth_anything_3_small_depth"


@dataclass(frozen=True)
class _Base(_Network):
    file: ClassVar[str] = "depth_anything_3_base"
    layout: ClassVar[str] = "da3-base"
    memory: ClassVar[float] = 6.0


@dataclass(frozen=True)
class DepthAnything3Base(_Base, DepthAnything3):
    """Depth Anything 3 Base."""

    name: ClassVar[str] = "depth_anything_3_base"


@dataclass(frozen=True)
class DepthAnything3BaseDepth(_Base, DepthAnything3Depth):
    """Depth by Depth Anything 3 Base."""

    name: ClassVar[str] = "depth_anything_3_base_depth"


@dataclass(frozen=True)
class _Large(_Network):
    file: ClassVar[str] = "depth_anything_3_large"
    layout: ClassVar[str] = "da3-large"
    memory: ClassVar[float] = 10.0


@dataclass(frozen=True)
class DepthAnything3Large(_Large, DepthAnything3):
    """Depth Anything 3 Large."""

    name: ClassVar[str] = "depth_anything_3_large"


@dataclass(frozen=True)
class DepthAnything3LargeDepth(_Large, DepthAnything3Depth):
    """Depth by Depth Anything 3 Large."""

    name: ClassVar[str] = "depth_anything_3_large_depth"


@dataclass(frozen=True)
class _Giant(_Network):
    file: ClassVar[str] = "depth_anything_3_giant"
    layout: ClassVar[str] = "da3-giant"
    memory: ClassVar[float] = 20.0


@dataclass(frozen=True)
class DepthAnything3Giant(_Giant, DepthAnything3):
    """Depth Anything 3 Giant."""

    name: ClassVar[str] = "depth_anything_3_giant"


@dataclass(frozen=True)
class DepthAnything3GiantDepth(_Giant, DepthAnything3Depth):
    """Depth by Depth Anything 3 Giant."""

    name: ClassVar[str] = "depth_anything_3_giant_depth"


@dataclass(frozen=True)
class DepthAnything3Nested(DepthAnything3):
    """Depth Anything 3 nested: Giant, its unit made metres by a second network, which also tells sky from ground."""

    name: ClassVar[str] = "depth_anything_3_nested"
    version: ClassVar[int] = 2
    file: ClassVar[str] = "depth_anything_3_nested"
    layout: ClassVar[str] = "da3nested-giant-large"
    memory: ClassVar[float] = 24.0
    metric: ClassVar[bool] = True
    refusal: ClassVar[str] = ALL_SKY
