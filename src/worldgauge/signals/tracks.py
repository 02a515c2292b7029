"""Where the target is in each frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, overload

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.case import TargetView
from worldgauge.core.clip import Clip
from worldgauge.core.errors import Unscored
from worldgauge.core.frames import FrameSpec
from worldgauge.core.reasons import TOO_FEW_FRAMES
from worldgauge.core.signal import Arrays, signal
from worldgauge.functional.masks import Box, Mask, box_of, decode_masks, encode_masks, resize_mask
from worldgauge.functional.usable import check_enough
from worldgauge.signals.usable import usable_frames


@dataclass(frozen=True, eq=False)
class Sighting:
    """The target in one frame."""

    mask: Mask
    """(H, W); empty when it is not there."""
    confidence: float
    """In [0, 1]: how like the target the best candidate is, also where it was not enough."""


class Chosen(Sequence[NDArray[np.uint8]]):
    """Some of a clip's frames, each fetched when it is looked at: a long clip need not be held at once."""

    def __init__(self, frames: Sequence[NDArray[np.uint8]], numbers: Sequence[int]) -> None:
        self._frames, self._numbers = frames, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, item: int) -> NDArray[np.uint8]: ...
    @overload
    def __getitem__(self, item: slice) -> Chosen: ...
    def __getitem__(self, item: int | slice) -> NDArray[np.uint8] | Chosen:
        if isinstance(item, slice):
            return Chosen(self._frames, self._numbers[item])
        return self._frames[self._numbers[item]]


class TrackInstrument(Protocol):
    """What the seat `track` offers."""

    def track(self, frames: Iterable[NDArray[np.uint8]], box: Box | None, mask: Mask | None) -> Iterator[Sighting]:
        """One sighting per frame, given the target in the first: a mask, or at least a box."""


@signal(
    version=2,
    reads=("video", "target"),
    needs=(usable_frames(),),
    seat="track",
    frames=FrameSpec().within(416),
    cost=0.3,
)
def object_track(clip: Clip, target: TargetView, shown: Arrays, track: TrackInstrument) -> Arrays:
    """The target in each frame: whether it is there, its box and mask, and how sure that is.

    `visible` (N,) booleans; `confidence` (N,) in [0, 1]; `box` (N, 4) x0, y0, x1, y1 in pixels of the clip, NaN where
    it is not visible; `area` (N,) share of the frame; `mask_runs`, `mask_starts`, `mask_size`: the masks, packed (see
    `unpack_masks`), at the size they were followed at. `usable` (N,): frames that show the world; the others are left
    out, the target is followed from the last usable frame to the next, and it is not `visible` in them.
    """
    # Some were trained at a size of their own and bring frames to it themselves.
    frames = clip.frames(replace(clip.spec, max_side=None) if getattr(track, "whole_frames", False) else None)
    used = shown["usable"]
    check_enough(used, "frames are usable")
    if not used[0]:
        raise Unscored(
            f"the first frame, which shows the target, cannot be used: {shown['fault'][0]}", code=TOO_FEW_FRAMES
        )
    width, height = frames.size
    mask = None if target.mask is None else resize_mask(target.mask, height, width)
    found = iter(
        track.track(Chosen(frames, np.flatnonzero(used).tolist()), _first_box(target, clip, (width, height)), mask)
    )
    nothing = Sighting(np.zeros((height, width), bool), 0.0)
    seen = [next(found) if of_frame else nothing for of_frame in used.tolist()]
    masks = [sighting.mask for sighting in seen]
    runs, starts = encode_masks(masks)
    scale = np.array([clip.size[0] / width, clip.size[1] / height] * 2)
    boxes = [box_of(mask) for mask in masks]
    return {
        "visible": np.array([mask.any() for mask in masks]),
        "confidence": np.array([sighting.confidence for sighting in seen]),
        "box": np.array([[np.nan] * 4 if box is None else np.array(box) * scale for box in boxes]),
        "area": np.array([mask.mean() for mask in masks]),
        "mask_runs": runs,
        "mask_starts": starts,
        "mask_size": np.array([height, width]),
        "usable": used,
    }


def unpack_masks(track: Arrays) -> list[Mask]:
    """The masks of an `object_track`, (H, W) booleans per frame."""
    height, width = (int(side) for side in track["mask_size"])
    return decode_masks(track["mask_runs"], track["mask_starts"], height, width)


def _first_box(target: TargetView, clip: Clip, size: tuple[int, int]) -> Box | None:
    """The target's box in the frames at hand; it is given in pixels of the reference, whose size the mask tells."""
    if target.box is None:
        return None
    height, width = target.mask.shape if target.mask is not None else clip.size[::-1]
    x, y = size[0] / width, size[1] / height
    x0, y0, x1, y1 = target.box
    return x0 * x, y0 * y, x1 * x, y1 * y
