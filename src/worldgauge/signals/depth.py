"""Depth of a clip's frames from its own camera motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.clip import Clip
from worldgauge.core.errors import Unscored
from worldgauge.core.frames import FrameSpec
from worldgauge.core.signal import Arrays, signal
from worldgauge.functional.lens import lens_of
from worldgauge.signals.poses import as_camera_path, poses

Floats = NDArray[np.float64]


class DepthInstrument(Protocol):
    """What the seat `depth` offers."""

    def maps(
        self, frames: Sequence[NDArray[np.uint8]], poses: Floats, lens: object, chosen: Sequence[int]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Depth (F, H, W) and validity of the chosen frames."""


@signal(version=1, reads=("video",), needs=(poses(),), seat="depth", frames=FrameSpec().within(416), cost=0.3)
def depth(clip: Clip, path: Arrays, instrument: DepthInstrument, *, every: int = 4, shrink: int = 2) -> Arrays:
    """Depth of every `every`-th frame where the camera's motion shows it; unscored without parallax.

    `frames`: (F,) frame numbers; `depth`: (F, h, w) along the optical axis in the unit of `poses`, 0 where unknown,
    every `shrink`-th pixel of a frame at most 416 px wide; `intrinsics`: (3, 3) for pixels of these maps;
    `valid_share`: (F,) share of the pixels with a value.
    """
    if not bool(path["moves"]):
        raise Unscored("no parallax")
    frames = clip.frames()
    lens = lens_of(as_camera_path(path), frames.size)
    if lens is None:
        raise Unscored("the lens is not known")
    chosen = list(range(0, len(frames), every))
    maps, valid = instrument.maps(frames, path["poses"], lens, chosen)
    # A kept pixel is the middle of the block it stands for.
    start = shrink // 2
    small = maps[:, start::shrink, start::shrink]
    matrix = lens.matrix()
    matrix[:2, 2] += shrink / 2 - start - 0.5
    matrix[:2] /= shrink
    return {
        "frames": np.asarray(chosen),
        "depth": small.astype(np.float16),
        "intrinsics": matrix,
        "valid_share": valid.mean(axis=(1, 2)),
    }
