"""Masks carried through a clip by optical flow: the mask follower that needs no weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.instrument import Instrument
from worldgauge.functional.flow import warp
from worldgauge.instruments.pocket.flow import DisFlow, Preset

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class FlowCarried(Instrument):
    """All masks as one, whose pixels ask the flow back to the frame before where they came from.

    What comes into view from behind something is not found again, and errors of the flow add up.
    """

    seat: ClassVar[str] = "mask_follower"
    name: ClassVar[str] = "flow_carried"

    preset: Preset = "medium"

    def followed(self, frames: Sequence[NDArray[np.uint8]], masks: Sequence[Mask]) -> Iterator[Mask]:
        """Frame by frame where any of the objects is, (H, W)."""
        flow = DisFlow(preset=self.preset)
        before = frames[0]
        mask = _fitted(masks, before.shape[1], before.shape[0])
        yield mask
        for k in range(1, len(frames)):
            after = frames[k]
            carried, inside = warp(mask.astype(np.float32), flow.flow(after, before))
            mask, before = np.asarray((carried >= 0.5) & inside), after
            yield mask


def _fitted(masks: Sequence[Mask], width: int, height: int) -> Mask:
    """All masks in one at the size of the frames; a pixel belongs to it that is at least half covered."""
    import cv2

    merged = np.any(np.stack(masks), axis=0).astype(np.float32)
    return np.asarray(cv2.resize(merged, (width, height), interpolation=cv2.INTER_AREA) >= 0.5)
