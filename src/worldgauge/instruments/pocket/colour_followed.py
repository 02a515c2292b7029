"""Masks followed by colour: the mask follower that needs no weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unscored
from worldgauge.core.frames import FrameSpec
from worldgauge.core.instrument import Instrument
from worldgauge.functional.masks import Mask, resize_mask
from worldgauge.instruments.pocket.carried import FlowCarried
from worldgauge.instruments.pocket.track import ColourTrack

LOOKED_AT = FrameSpec().within(416)
"""As for the target of a case."""


@dataclass(frozen=True)
class ColourFollowed(Instrument):
    """Each object as `colour_track` follows it, all of them in one mask.

    An object without colours of its own is carried along the flow.
    """

    seat: ClassVar[str] = "mask_follower"
    name: ClassVar[str] = "colour_followed"
    version: ClassVar[int] = 6

    def followed(self, frames: Sequence[NDArray[np.uint8]], masks: Sequence[Mask]) -> Iterator[Mask]:
        """Frame by frame where any of the objects is, (H, W)."""
        from worldgauge.media.resize import resize

        height, width = frames[0].shape[:2]
        size = LOOKED_AT.output_size(width, height)
        small = [resize(frame, size, LOOKED_AT.interpolation) for frame in frames]
        objects = [_follow(small, resize_mask(mask, *small[0].shape[:2])) for mask in masks]
        for seen in zip(*objects, strict=True):
            yield resize_mask(np.any(np.stack(seen), axis=0), height, width)


def _follow(frames: Sequence[NDArray[np.uint8]], mask: Mask) -> list[Mask]:
    try:
        return [sighting.mask for sighting in ColourTrack().track(frames, None, mask)]
    except Unscored:
        return list(FlowCarried().followed(frames, [mask]))
