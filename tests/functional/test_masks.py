"""Mask helpers against small cases worked by hand, and packing as a round trip."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from worldgauge.core.errors import WorldGaugeError
from worldgauge.functional.masks import box_of, decode_masks, encode_masks, f1, iou, mask_of, resize_mask


def test_overlap_of_two_squares() -> None:
    first, second = mask_of((0, 0, 10, 10), 20, 20), mask_of((5, 0, 15, 10), 20, 20)
    assert iou(first, second) == pytest.approx(50 / 150)
    assert f1(first, second) == pytest.approx(100 / 200)


def test_empty_masks_agree_with_each_other_and_with_nothing_else() -> None:
    empty, full = np.zeros((4, 4), bool), np.ones((4, 4), bool)
    assert iou(empty, empty) == f1(empty, empty) == 1
    assert iou(empty, full) == f1(empty, full) == 0


@given(st.integers(0, 8), st.integers(0, 8), st.integers(1, 8), st.integers(1, 8))
def test_box_and_mask_are_inverse(x: int, y: int, width: int, height: int) -> None:
    box = (float(x), float(y), float(x + width), float(y + height))
    assert box_of(mask_of(box, 16, 16)) == box


def test_an_empty_mask_has_no_box() -> None:
    assert box_of(np.zeros((3, 3), bool)) is None


def test_a_box_takes_the_pixels_whose_centres_it_holds() -> None:
    assert mask_of((0.4, 0.6, 2.4, 2.0), 3, 4).sum() == 2  # columns 0 and 1, row 1


def test_resizing_keeps_shape_and_share() -> None:
    mask = mask_of((40, 20, 80, 60), 90, 160)
    half, double = resize_mask(mask, 45, 80), resize_mask(mask, 180, 320)
    assert box_of(half) == (20, 10, 40, 30) and box_of(double) == (80, 40, 160, 120)


@given(st.lists(arrays(bool, (5, 7)), max_size=4))
def test_packing_is_a_round_trip(masks: list[np.ndarray]) -> None:
    runs, starts = encode_masks(masks)
    assert len(starts) == len(masks) + 1
    unpacked = decode_masks(runs, starts, 5, 7)
    assert all(np.array_equal(a, b) for a, b in zip(masks, unpacked, strict=True))


def test_packing_is_small_and_refuses_a_wrong_size() -> None:
    mask = mask_of((40, 20, 80, 60), 90, 160)
    runs, starts = encode_masks([mask])
    assert runs.nbytes < 400
    with pytest.raises(WorldGaugeError, match="packed masks"):
        decode_masks(runs, starts, 90, 161)
