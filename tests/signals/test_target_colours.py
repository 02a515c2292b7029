"""Colours of a target beside the true one's, in clips of another length and size."""

from __future__ import annotations

import numpy as np
import pytest

from worldgauge.core.clip import Clip
from worldgauge.core.frames import FrameSpec
from worldgauge.core.signal import SIGNALS, Arrays
from worldgauge.core.video import Video
from worldgauge.functional.masks import encode_masks


def scene(frames: int, scale: int, tint: int = 0) -> tuple[Clip, Arrays]:
    """A red square that crosses a grey picture and is gone in the last quarter, and its track."""
    rows, columns = np.mgrid[: 48 * scale, : 80 * scale] // scale
    pictures, masks = [], []
    for k in range(frames):
        left = round(5 + 40 * k / (frames - 1))
        seen = k / (frames - 1) < 0.75
        mask = seen & (rows >= 15) & (rows < 31) & (columns >= left) & (columns < left + 16)
        picture = np.full((*rows.shape, 3), 120, np.uint8)
        picture[mask] = (200, 40 + tint, 40)
        pictures.append(picture)
        masks.append(mask)
    runs, starts = encode_masks(masks)
    track = {
        "mask_runs": runs,
        "mask_starts": starts,
        "mask_size": np.array(rows.shape),
        "usable": np.ones(frames, bool),
    }
    return Clip(Video.from_array(np.stack(pictures), layout="THWC", fps=8), spec=FrameSpec().within(416)), track


def found(ours: tuple[Clip, Arrays], theirs: tuple[Clip, Arrays]) -> Arrays:
    arrays: Arrays = SIGNALS.get("target_colours").function(ours[0], theirs[0], ours[1], theirs[1])
    return arrays


@pytest.mark.parametrize(("frames", "scale"), [(16, 1), (16, 2), (31, 1), (9, 2)])
def test_the_same_scene_at_another_length_and_size_has_the_same_colours(frames: int, scale: int) -> None:
    true = scene(16, 1)
    same, other = found(scene(frames, scale), true), found(scene(frames, scale, tint=60), true)
    assert same["apart"].shape == same["shown"].shape == (frames,)
    # Pixels at the rim of a larger square are shared with the background, no more than that.
    assert np.nanmax(same["apart"]) <= (0.0 if (frames, scale) == (16, 1) else 8.0)
    assert np.nanmin(other["apart"]) > np.nanmax(same["apart"]) + 5
    assert not same["shown"][-1] and np.isnan(same["apart"][-1])
