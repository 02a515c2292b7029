"""Frames at a network's size, as the official code brings them there."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from instruments.neural.rule import image
from worldgauge.instruments.neural.preparing import (
    covering,
    covering_size,
    crop_offset,
    least_scaled_size,
    resized,
    short_side_size,
    squares,
)


@pytest.mark.parametrize(("width", "height"), [(90, 60), (61, 87), (64, 64), (333, 50)])
def test_squares_are_pillows(width: int, height: int) -> None:
    frames = np.stack([image(f"square{k}", height, width) for k in range(2)])
    found = squares(frames, 48, 42)
    size = short_side_size(width, height, 48)
    whole = Image.fromarray(frames[1]).resize(size, Image.Resampling.BICUBIC)
    left, top = crop_offset(size[0], 42), crop_offset(size[1], 42)
    assert np.array_equal(found[1], np.asarray(whole.crop((left, top, left + 42, top + 42))))
    assert found.shape == (2, 42, 42, 3)


def test_a_frame_of_that_size_is_left_alone() -> None:
    frames = image("same", 42, 42)[None]
    assert resized(frames, (42, 42)) is frames


@pytest.mark.parametrize("size", [(832, 480), (480, 832), (512, 512), (640, 369), (1920, 1080), (300, 518)])
def test_depth_sizes_are_multiples_of_the_patch(size: tuple[int, int]) -> None:
    for rule in (least_scaled_size, covering_size):
        width, height = rule(*size)
        assert width % 14 == height % 14 == 0
        assert width / height == pytest.approx(size[0] / size[1], rel=0.05)
    assert min(covering_size(*size)) == 518
    assert 518 in least_scaled_size(*size)


def test_the_authors_enlarge_numbers() -> None:
    frames = image("cubic", 40, 60)[None]
    found = covering(frames)
    assert found.shape == (1, 518, 784, 3)
    assert found.dtype == np.float32
    assert (found * 255 % 1).any(), "not rounded to bytes"
    edge = np.repeat(np.array([0, 255], np.uint8), 15)[None, None, :, None].repeat(30, 1).repeat(3, 3)
    assert covering(edge).max() > 1, "a cubic filter overshoots"
