"""Optical flow of consecutive frames, reduced pair by pair: of the dense fields only a coarse grid is stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.clip import Clip
from worldgauge.core.device_arrays import as_array, joined_rows
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.signal import Arrays, signal
from worldgauge.core.stacks import InStacks
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
from worldgauge.signals.usable import usable_frames, usable_pairs

Frames = Sequence[NDArray[np.uint8]] | NDArray[np.uint8]
Pairs = Sequence[tuple[int, int]]
CONSISTENT_WITHIN = 1.0
"""Px; a pixel that comes back this close to its start counts as consistent."""
GRID_COLUMNS = 16
"""Cells across a frame of the field kept for looking at: half a kilobyte a pair."""


class FlowInstrument(InStacks, Protocol):
    """What the seat `flow` offers."""

    def flow_stacks(self, frames: Frames, pairs: Pairs) -> Iterator[Floats]:
        """Displacements in pixels of each pixel of a pair's first frame towards its second, as stacks (n, H, W, 2) in
        the order of the pairs. `pairs` are numbers of `frames`, RGB frames (H, W, 3) of one size; a network encodes
        each frame once, whatever the number of pairs it is in."""


@signal(version=1, reads=("video",), seat="flow", kept=False, cost=0.13, dense=16.0)
def flow_fields(clip: Clip, flow: FlowInstrument) -> Iterator[Arrays]:
    """Flow between consecutive frames, a few pairs at a time: `forward` and `backward` (n, H, W, 2), px.

    They are where the instrument has computed them; `ways_of` brings them here one by one.
    """
    frames = clip.frames()
    if len(frames) < 2:
        raise InvalidVideo(f"flow needs two frames, the clip has {len(frames)}")
    waiting: Any = None
    for stack in stacks_between(
        flow, frames, [way for k in range(len(frames) - 1) for way in ((k, k + 1), (k + 1, k))]
    ):
        if waiting is not None and len(stack) == 1:
            yield {"forward": waiting, "backward": stack}
            waiting = None
            continue
        ways = stack if waiting is None else joined_rows(waiting, stack)
        whole = len(ways) // 2 * 2
        if whole:
            yield {"forward": ways[0:whole:2], "backward": ways[1:whole:2]}
        waiting = ways[whole:] if len(ways) > whole else None


def stacks_between(flow: FlowInstrument, frames: Frames, pairs: Pairs) -> Iterator[Any]:
    """Fields (n, H, W, 2) where the instrument has them: arrays, or tensors on a GPU."""
    in_place = getattr(flow, "stacks_in_place", None) or flow.flow_stacks
    stacks: Iterator[Any] = in_place(frames, pairs)
    return stacks


def fields_between(flow: FlowInstrument, frames: Frames, pairs: Pairs) -> Iterator[Floats]:
    """One field (H, W, 2) after the other."""
    for stack in flow.flow_stacks(frames, pairs):
        yield from stack


def both_ways(flow: FlowInstrument, frames: Frames, pairs: Pairs) -> Iterator[tuple[Floats, Floats]]:
    """Per pair the field from the first frame to the second, and the one back."""
    fields = fields_between(flow, frames, [way for i, j in pairs for way in ((i, j), (j, i))])
    return zip(fields, fields, strict=True)


def ways_of(fields: Iterable[Arrays]) -> Iterator[tuple[Floats, Floats]]:
    """The two fields (H, W, 2) of each pair of `flow_fields`."""
    for stack in fields:
        yield from zip(as_array(stack["forward"]), as_array(stack["backward"]), strict=True)


@signal(version=3, reads=("video",), needs=(flow_fields(), usable_frames()), cost=0.04)
def flow_pairs(clip: Clip, fields: Iterable[Arrays], shown: Arrays) -> Arrays:
    """Forward and backward flow of consecutive frames: size, consistency, occlusion and warp error of each pair.

    One number per pair in each array:
    `magnitude_mean`, `magnitude_median`, `magnitude_p90`: length of the forward flow, px;
    `consistency_error`: mean forward-backward error of the pixels that stay in view, px (NaN where none does);
    `consistent_share`: share of all pixels that stay in view and return within `CONSISTENT_WITHIN`;
    `occluded_share`: share of the first frame's pixels not seen in the second;
    `warp_error_forward`: next frame warped to this one by the forward flow, mean absolute difference on pixels seen
    in both, as a share of full range; `warp_error_backward`: this frame warped to the next by the backward flow.
    The warp errors are NaN where no pixel is seen in both.
    `usable`: whether both frames show the world; between others the flow has no meaning.
    Only for looking at: `grid`, (pairs, rows, GRID_COLUMNS, 2) mean forward flow of square cells, px.
    """
    pairs = [_reduce(*frames, *ways) for ways, frames in zip(ways_of(fields), consecutive(clip), strict=True)]
    return {name: np.array([pair[name] for pair in pairs]) for name in pairs[0]} | {"usable": usable_pairs(shown)}


@signal(version=1, reads=(), needs=(object_track(), flow_fields()), cost=0.02)
def flow_regions(track: Arrays, fields: Iterable[Arrays]) -> Arrays:
    """Length of the forward flow inside and outside the target's mask, pair by pair, px.

    `inside_mean`, `inside_median`, `inside_p90`, `inside_max` and the same for `outside`: one number per pair, NaN
    where the target is not seen in the pair's first frame (inside) or fills it (outside).
    """
    masks = unpack_masks(track)
    pairs = []
    for (forward, _), mask in zip(ways_of(fields), masks, strict=False):
        length = magnitude(forward)
        inside = resize_mask(mask, *length.shape)
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
    first: NDArray[np.uint8], second: NDArray[np.uint8], forward: Floats, backward: Floats
) -> dict[str, float | NDArray[np.float16]]:
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
