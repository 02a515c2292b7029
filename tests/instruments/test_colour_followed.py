"""Masks followed without weights: objects with colours of their own, and objects without."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from worldgauge.functional.masks import resize_mask
from worldgauge.instruments.pocket.carried import FlowCarried
from worldgauge.instruments.pocket.colour_followed import ColourFollowed

Frames = NDArray[np.uint8]
Masks = NDArray[np.bool_]


def scene(height: int, width: int, count: int, paces: tuple[int, ...]) -> tuple[Frames, list[Masks]]:
    """Textured boxes, red and blue, that cross a grey wall, `paces` pixels a frame; and their masks."""
    random = np.random.default_rng(0)
    wall = random.integers(90, 130, (height, width, 1)).repeat(3, 2).astype(np.uint8)
    frames, masks = np.stack([wall] * count), [np.zeros((count, height, width), bool) for _ in paces]
    for k, pace in enumerate(paces):
        box = random.integers(0, 60, (height // 4, width // 6, 3)).astype(np.uint8)
        box[..., 2 * k] += 150
        top = height // 6 + k * height // 3
        for frame in range(count):
            where = np.s_[top : top + box.shape[0], 8 + pace * frame : 8 + pace * frame + box.shape[1]]
            frames[frame][where] = box
            masks[k][frame][where] = True
    return frames, masks


def overlap(found: Masks, true: Masks) -> float:
    return float((found & true).sum() / (found | true).sum())


def test_objects_are_found_again_after_a_moment_behind_something() -> None:
    frames, masks = scene(96, 160, 7, (14, 10))
    frames[3] = scene(96, 160, 1, ())[0]
    true = masks[0] | masks[1]
    given = [of[0] for of in masks]
    found = np.stack(list(ColourFollowed().followed(frames, given)))
    carried = list(FlowCarried().followed(frames, given))
    assert min(overlap(found[k], true[k]) for k in (0, 1, 2, 4, 5, 6)) > 0.9
    assert not found[3].any()
    assert overlap(carried[-1], true[-1]) < 0.5


def test_large_frames_are_looked_at_smaller_and_masks_keep_their_size() -> None:
    frames, masks = scene(360, 640, 3, (20,))
    given = resize_mask(masks[0][0], 180, 320)
    found = list(ColourFollowed().followed(frames, [given]))
    assert all(one.shape == (360, 640) for one in found)
    assert min(map(overlap, np.stack(found), masks[0])) > 0.9


@pytest.mark.parametrize("empty", [False, True], ids=["no colours of its own", "nothing in the first frame"])
def test_what_colour_cannot_follow_is_carried(empty: bool) -> None:
    frames, _ = scene(96, 160, 3, ())
    mask = np.zeros((96, 160), bool)
    mask[20:40, 20:60] = not empty
    found = list(ColourFollowed().followed(frames, [mask]))
    assert all(map(np.array_equal, found, FlowCarried().followed(frames, [mask])))
