"""Optical flow of consecutive frames, reduced pair by pair: of the dense fields only a coarse grid is stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.clip import Clip
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.signal import Arrays, signal
from worldgauge.functional.flow import (
    Floats,
    magnitude,
    occluded,
    photometric_error,
    round_trip,
    warp,
)
from worldgauge.functional.masks import resize_mask
from worldgauge.signals.tracks import object_track, unpack_masks

CONSISTENT_WITHIN = 1.0
"""Px; a pixel that comes back this close to its start counts as consistent."""
GRID_COLUMNS = 16
"""Cells across a frame of the field kept for looking at: half a kilobyte a pair."""


class FlowInstrument(Protocol):
    """What the seat `flow` offers."""

    def flow(self, first: NDArray[np.uint8], second: NDArray[np.uint8]) -> Floats:
        """Displacement (H, W, 2) in pixels of each pixel of `first` towards `second`."""


@signal(version=2, reads=("video",), seat="flow", cost=0.17)
def flow_pairs(clip: Clip, flow: FlowInstrument) -> Arrays:
    """Forward and backward flow of consecutive frames: size, consistency, occlusion and warp error of each pair.

    One number per pair in each array:
    `magnitude_mean`, `magnitude_median`, `magnitude_p90`: length of the forward flow, px;
    `consistency_error`: mean forward-backward error of the pixels that stay in view, px (NaN where none does);
    `consistent_share`: share of all pixels that stay in view and return within `CONSISTENT_WITHIN`;
    `occluded_share`: share of the first frame's pixels not seen in the second;
    `warp_error_forward`: next frame warped to this one by the forward flow, mean absolute difference on pixels seen
    in both, as a share of full range; `warp_error_backward`: this frame warped to the next by the backward flow.
    The warp errors are NaN where no pixel is seen in both.
    Only for looking at: `grid`, (pairs, rows, GRID_COLUMNS, 2) mean forward flow of square cells, px.
    """
    pairs = [_reduce(first, second, flow) for first, second in consecutive(clip)]
    return {name: np.array([pair[name] for pair in pairs]) for name in pairs[0]}


@signal(version=1, reads=("video",), needs=(object_track(),), seat="flow", cost=0.09)
def flow_regions(clip: Clip, track: Arrays, flow: FlowInstrument) -> Arrays:
    """Length of the forward flow inside and outside the target's mask, pair by pair, px.

    `inside_mean`, `inside_median`, `inside_p90`, `inside_max` and the same for `outside`: one number per pair, NaN
    where the target is not seen in the pair's first frame (inside) or fills it (outside).
    """
    masks = unpack_masks(track)
    pairs = []
    for (first, second), mask in zip(consecutive(clip), masks, strict=False):
        inside = resize_mask(mask, *first.shape[:2])
        length = magnitude(flow.flow(first, second))
        pairs.append(_lengths("inside", length[inside]) | _lengths("outside", length[~inside]))
    return {name: np.array([pair[name] for pair in pairs]) for name in pairs[0]}


def consecutive(clip: Clip) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.uint8]]]:
    """The chosen frames two by two; a clip of one frame has no pair and is invalid."""
    frames = clip.frames()
    if len(frames) < 2:
        raise InvalidVideo(f"flow needs two frames, the clip has {len(frames)}")
    previous = frames[0]
    for index in range(1, len(frames)):
        current = frames[index]
        yield previous, current
        previous = current


def _lengths(where: str, length: NDArray[np.float32]) -> dict[str, float]:
    names = [f"{where}_{statistic}" for statistic in ("mean", "median", "p90", "max")]
    if not length.size:
        return dict.fromkeys(names, float("nan"))
    values = (length.mean(), np.median(length), np.percentile(length, 90), length.max())
    return {name: float(value) for name, value in zip(names, values, strict=True)}


def _reduce(
    first: NDArray[np.uint8], second: NDArray[np.uint8], flow: FlowInstrument
) -> dict[str, float | NDArray[np.float16]]:
    forward, backward = flow.flow(first, second), flow.flow(second, first)
    length = magnitude(forward)
    median, p90 = np.percentile(length, [50, 90])
    error, inside, hidden = round_trip(forward, backward)
    hidden_back = occluded(backward, forward)
    return {
        "magnitude_mean": float(length.mean()),
        "magnitude_median": float(median),
        "magnitude_p90": float(p90),
        "consistency_error": float(error[inside].mean()) if inside.any() else float("nan"),
        "consistent_share": float((inside & (error <= CONSISTENT_WITHIN)).mean()),
        "occluded_share": float(hidden.mean()),
        "warp_error_forward": photometric_error(first, warp(second, forward)[0], ~hidden),
        "warp_error_backward": photometric_error(second, warp(first, backward)[0], ~hidden_back),
        "grid": _coarse(forward),
    }


def _coarse(field: Floats) -> NDArray[np.float16]:
    """Mean displacement of each cell of a grid with GRID_COLUMNS columns: (rows, GRID_COLUMNS, 2)."""
    import cv2

    height, width = field.shape[:2]
    rows = max(1, round(GRID_COLUMNS * height / width))
    return np.asarray(cv2.resize(field, (GRID_COLUMNS, rows), interpolation=cv2.INTER_AREA), dtype=np.float16)
