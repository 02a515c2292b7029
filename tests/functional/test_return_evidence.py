"""What a returned target looks like, on pictures whose answers can be counted by hand."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from worldgauge.functional.return_evidence import (
    CHANGED,
    LEAST_AGREEING,
    TILE,
    centre_of,
    changed_around,
    changed_share,
    colour_histogram,
    find_like,
    histogram_distance,
    novelty,
    ring,
    touches_border,
    turn_between,
)

RED, BLUE, GREY = (220, 30, 30), (30, 30, 220), (128, 128, 128)


def _picture(colour: tuple[int, int, int] = GREY, height: int = 60, width: int = 96) -> np.ndarray:
    return np.full((height, width, 3), colour, np.uint8)


def _mask(rows: slice, columns: slice, shape: tuple[int, int] = (60, 96)) -> np.ndarray:
    mask = np.zeros(shape, bool)
    mask[rows, columns] = True
    return mask


BOX = _mask(slice(20, 32), slice(40, 52))


@pytest.mark.parametrize("bins", [6, 12])
def test_a_histogram_is_the_counted_cells_softened_by_their_neighbours(bins: int) -> None:
    image = np.random.default_rng(0).integers(0, 256, (60, 96, 3), dtype=np.uint8)
    lab = cv2.cvtColor(image, cv2.COLOR_RGB2LAB)[BOX].astype(int)
    counts = np.zeros((bins, bins * bins))
    for light, a, b in lab:
        counts[light * bins // 256, (a * bins // 256) * bins + b * bins // 256] += 1
    # Softened along lightness; the border is mirrored around its own row.
    padded = np.pad(counts, ((1, 1), (0, 0)), mode="reflect")
    soft = padded[:-2] + padded[1:-1] + padded[2:]
    found = colour_histogram(image, BOX, bins)
    np.testing.assert_allclose(found, (soft / soft.sum()).ravel(), atol=1e-12)
    assert found.shape == (bins**3,)


def test_the_histogram_of_nothing_is_empty() -> None:
    assert colour_histogram(_picture(), np.zeros((60, 96), bool)).sum() == 0


def test_hellinger_distance() -> None:
    first, second = np.array([0.5, 0.5, 0.0]), np.array([0.5, 0.0, 0.5])
    assert histogram_distance(first, first) == pytest.approx(0, abs=1e-7)
    assert histogram_distance(first, second) == pytest.approx(np.sqrt(0.5))
    assert histogram_distance(first, second) == pytest.approx(np.linalg.norm(np.sqrt(first) - np.sqrt(second)) / 2**0.5)


def test_the_ring_is_a_band_of_half_the_size_two_pixels_off() -> None:
    found = ring(BOX)
    row = np.flatnonzero(found[26])
    # 12 px: the band is 6 wide and begins behind two pixels on either side.
    assert row.tolist() == [*range(32, 38), *range(54, 60)]
    assert not (found & BOX).any()
    assert np.flatnonzero(found[:, 46]).tolist() == [*range(12, 18), *range(34, 40)]
    tiny = ring(_mask(slice(30, 31), slice(50, 51)))
    # A single pixel counts as three wide: half of that rounds to two.
    assert np.flatnonzero(tiny[30]).tolist() == [46, 47, 53, 54]


def test_novelty_is_the_share_of_colours_that_are_rare_elsewhere() -> None:
    image = _picture()
    assert novelty(image, BOX) == 0.0
    image[20:26, 40:52] = RED
    assert novelty(image, BOX) == pytest.approx(0.5)
    image[20:32, 40:52] = RED
    assert novelty(image, BOX) == pytest.approx(1.0)
    # The same red far away makes it a common colour.
    image[:, 80:] = RED
    assert novelty(image, BOX) == 0.0
    assert novelty(image, np.zeros_like(BOX)) == novelty(image, np.ones_like(BOX)) == 0.0


def test_colours_beside_the_object_do_not_make_it_common() -> None:
    image = _picture()
    image[ring(BOX) | BOX] = RED
    assert novelty(image, BOX) == pytest.approx(1.0)


def test_another_hue_around_the_mask_is_counted_against_its_area() -> None:
    first, second = _picture(), _picture()
    second[20:32, 32:38] = RED
    assert changed_around(first, second, BOX) == pytest.approx(12 * 6 / 144)
    assert changed_around(first, first, BOX) == 0.0
    # A shadow changes lightness, not hue; a change inside or far off is not around.
    shade, elsewhere = _picture((60, 60, 60)), _picture()
    elsewhere[BOX] = RED
    elsewhere[:, :5] = RED
    assert changed_around(first, shade, BOX) == changed_around(first, elsewhere, BOX) == 0.0
    assert changed_around(first, _picture(RED), np.zeros_like(BOX)) == ring(np.zeros_like(BOX)).sum() == 0


def test_a_cut_out_is_found_where_it_stands() -> None:
    random = np.random.default_rng(1)
    texture = random.integers(0, 256, (12, 12, 3), dtype=np.uint8)
    picture, image = _picture(), _picture()
    picture[20:32, 40:52] = texture
    image[41:53, 7:19] = texture
    found = find_like(image, picture, BOX)
    np.testing.assert_array_equal(found, _mask(slice(41, 53), slice(7, 19)))
    assert not find_like(_picture(BLUE), picture, BOX).any()
    assert not find_like(image, picture, np.zeros_like(BOX)).any()


def test_changed_squares_are_counted_outside_what_is_left_out() -> None:
    first, second = _picture(), _picture()
    rows, columns = 60 // TILE, 96 // TILE
    second[:TILE, : 2 * TILE] = 128 + int(CHANGED) + 1
    # Exactly the limit is no change.
    second[TILE : 2 * TILE, :TILE] = 128 + int(CHANGED)
    nothing = np.zeros((60, 96), bool)
    assert changed_share(first, second, nothing) == pytest.approx(2 / (rows * columns))
    one_pixel = _mask(slice(0, 1), slice(0, 1))
    assert changed_share(first, second, one_pixel) == pytest.approx(1 / (rows * columns - 1))
    assert np.isnan(changed_share(first, second, ~nothing))


def test_what_does_not_fill_a_square_is_not_scenery() -> None:
    first, second = _picture(height=61, width=100), _picture(height=61, width=100)
    second[60:], second[:, 96:] = 255, 255
    assert changed_share(first, second, np.zeros((61, 100), bool)) == 0.0


@pytest.mark.parametrize("degrees", [0.0, 7.0, 25.0])
def test_a_turn_is_read_off_matches_of_which_some_are_wrong(degrees: float) -> None:
    random = np.random.default_rng(2)
    intrinsics = np.array([[300.0, 0, 160], [0, 300, 90], [0, 0, 1]])
    first = random.uniform([60, 20], [260, 160], (40, 2))
    rays = np.column_stack([(first - [160, 90]) / 300, np.ones(40)])
    turned = rays @ Rotation.from_rotvec(np.radians([0, degrees, 0])).as_matrix().T
    second = turned[:, :2] / turned[:, 2:] * 300 + [160, 90]
    second[:8] += random.uniform(30, 60, (8, 2))
    assert turn_between(first, second, intrinsics) == pytest.approx(degrees, abs=0.3)


def test_a_turn_needs_matches_that_agree() -> None:
    random = np.random.default_rng(3)
    intrinsics = np.array([[300.0, 0, 160], [0, 300, 90], [0, 0, 1]])
    place = random.uniform([60, 20], [260, 160], (200, 2))
    few = place[:LEAST_AGREEING]
    assert turn_between(few, few, intrinsics) == pytest.approx(0, abs=1e-4)
    assert np.isnan(turn_between(few[1:], few[1:], intrinsics))
    # A quarter of many must agree, however many that is.
    chaos = random.uniform([0, 0], [320, 180], (200, 2))
    chaos[:30] = place[:30]
    assert np.isnan(turn_between(place, chaos, intrinsics))
    chaos[:70] = place[:70]
    assert turn_between(place, chaos, intrinsics) == pytest.approx(0, abs=0.3)


def test_centre_and_border_of_a_mask() -> None:
    np.testing.assert_allclose(centre_of(BOX), [46.0, 26.0])
    np.testing.assert_allclose(centre_of(_mask(slice(7, 8), slice(3, 4))), [3.5, 7.5])
    assert np.isnan(centre_of(np.zeros_like(BOX))).all()
    assert not touches_border(BOX)
    for rows, columns in ((0, 5), (59, 5), (5, 0), (5, 95)):
        assert touches_border(_mask(slice(rows, rows + 1), slice(columns, columns + 1)))
