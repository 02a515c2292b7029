"""Flow arithmetic against closed forms: translations of analytic images."""

import numpy as np
import pytest

from worldgauge.core.errors import WorldGaugeError
from worldgauge.functional.flow import (
    end_point_error,
    forward_backward_error,
    magnitude,
    occluded,
    photometric_error,
    warp,
)

H, W = 40, 60


def uniform(u: float, v: float) -> np.ndarray:
    return np.full((H, W, 2), (u, v), np.float32)


def test_warp_of_a_linear_image_is_exact_at_fractions() -> None:
    y, x = np.mgrid[:H, :W].astype(np.float32)
    image = 2 * x + 3 * y
    warped, inside = warp(image, uniform(0.37, -1.21))
    expected = 2 * (x + 0.37) + 3 * (y - 1.21)
    interior = (slice(2, -2), slice(2, -2))
    np.testing.assert_allclose(warped[interior], expected[interior], atol=1e-3)
    assert not inside[0].any() and inside[1:, :-1].all()  # row 0 looks at -1.21, outside; row 1 at -0.21, inside


def test_warp_undoes_a_shift() -> None:
    image = np.random.default_rng(0).integers(0, 256, (H, W, 3), dtype=np.uint8)
    second = np.roll(image, 5, axis=1)  # content moves 5 px to the right
    warped, inside = warp(second, uniform(5, 0))
    assert inside[:, : W - 5].all() and not inside[:, W - 5 :].any()
    np.testing.assert_allclose(warped[:, : W - 5], image[:, : W - 5], atol=1e-4)
    assert photometric_error(image, warped, inside) == pytest.approx(0, abs=1e-6)


def test_the_view_ends_half_a_pixel_beyond_the_last_index() -> None:
    image = np.zeros((H, W), np.float32)
    assert warp(image, uniform(0.5, 0))[1].all()
    assert not warp(image, uniform(0.51, 0))[1][:, -1].any()


def test_forward_backward_error_of_opposite_flows_is_zero_and_of_unequal_ones_their_difference() -> None:
    error, inside = forward_backward_error(uniform(4, 2), uniform(-4, -2))
    assert np.allclose(error[inside], 0)
    assert inside.sum() == (W - 4) * (H - 2)
    error, _ = forward_backward_error(uniform(4, 2), uniform(-1, 2))
    np.testing.assert_allclose(error, 5.0, rtol=1e-6)


def test_occlusion_is_what_leaves_the_view_or_does_not_come_back() -> None:
    assert not occluded(uniform(0, 0), uniform(0, 0)).any()
    hidden = occluded(uniform(7, 0), uniform(-7, 0))
    assert hidden[:, W - 7 :].all() and not hidden[:, : W - 7].any()
    assert occluded(uniform(3, 0), uniform(0, 0)).all()


def test_occlusion_threshold_grows_with_the_length_of_the_flow() -> None:
    # 1 px of disagreement: beyond the floor sqrt(0.5) for still pixels, within it for long vectors.
    assert occluded(uniform(1, 0), uniform(0, 0)).all()
    assert not occluded(uniform(20, 0), uniform(-19, 0))[:, : W - 20].any()


def test_occlusion_behind_a_moving_square_is_found_exactly() -> None:
    """A square moves 6 px right over a still background: the strip it covers is occluded, nothing else."""
    forward, backward = uniform(0, 0), uniform(0, 0)
    forward[10:30, 10:30] = (6, 0)
    backward[10:30, 16:36] = (-6, 0)
    truth = np.zeros((H, W), bool)
    truth[10:30, 30:36] = True
    np.testing.assert_array_equal(occluded(forward, backward), truth)


def test_magnitude_and_end_point_error() -> None:
    assert np.allclose(magnitude(uniform(-3, 4)), 5)
    assert np.allclose(end_point_error(uniform(1, 1), uniform(1, -1)), 2)


def test_photometric_error_is_a_share_of_full_range() -> None:
    image = np.full((H, W, 3), 51, np.uint8)
    everywhere = np.ones((H, W), bool)
    assert photometric_error(image, np.zeros((H, W, 3), np.float32), everywhere) == pytest.approx(0.2)
    assert np.isnan(photometric_error(image, np.zeros((H, W, 3), np.float32), ~everywhere))


def test_a_flow_of_the_wrong_shape_is_named() -> None:
    with pytest.raises(WorldGaugeError, match=r"flow must have shape \(40, 60, 2\)"):
        warp(np.zeros((H, W), np.float32), np.zeros((H, W + 1, 2), np.float32))


@pytest.mark.parametrize("axis", [0, 1])
def test_a_pixel_reaches_half_a_pixel_beyond_its_middle_on_every_side(axis: int) -> None:
    image = np.zeros((4, 4), np.float32)
    for shift, seen in ((-0.5, True), (-0.5625, False)):
        flow = np.zeros((4, 4, 2), np.float32)
        flow[..., axis] = shift
        first = (slice(None), 0) if axis == 0 else (0, slice(None))
        assert warp(image, flow)[1][first].all() == seen
        last = (slice(None), 3) if axis == 0 else (3, slice(None))
        assert warp(image, -flow)[1][last].all() == seen
