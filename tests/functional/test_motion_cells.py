"""Coarse motion and light against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from worldgauge.functional.light import drift_since_start, jumps
from worldgauge.functional.motion_cells import (
    cell_velocities,
    light_gain,
    motion_agreement,
    of_the_steadiest,
    tremble,
)


def _texture(seed: int = 0, height: int = 72, width: int = 128) -> np.ndarray:
    return np.random.default_rng(seed).integers(40, 200, (height, width, 3)).astype(np.uint8)


def test_velocities_are_in_frame_heights_whatever_the_size() -> None:
    for height in (72, 144):
        flow = np.full((height, 2 * height, 2), (0.1 * height, -0.05 * height), np.float32)
        np.testing.assert_allclose(cell_velocities(flow), np.tile([0.1, -0.05], (9, 16, 1)), atol=1e-6)


def test_light_gain_follows_the_points() -> None:
    first = _texture()
    # The camera pans by 5 px, and the light of the red channel doubles.
    second = np.roll(first, 5, axis=1).astype(np.float64)
    second[..., 0] = 2 * (second[..., 0] + 8) - 8
    flow = np.full((*first.shape[:2], 2), (5, 0), np.float32)
    np.testing.assert_allclose(light_gain(first, np.minimum(second, 255).astype(np.uint8), flow), (1, 0, 0), atol=0.01)
    assert np.isnan(light_gain(first, first, np.full_like(flow, 1e6))).all()


def test_agreement_of_half_the_motion_is_two_thirds_and_of_none_is_nothing() -> None:
    motion = np.tile([0.1, 0.0], (10, 9, 16, 1))
    for share, agreement in ((1.0, 1.0), (0.5, 2 / 3), (0.0, 0.0), (-1.0, 0.0)):
        assert motion_agreement(share * motion, motion)[0] == pytest.approx(agreement, abs=0.01)


def test_agreement_stretches_clips_of_other_rates_over_one_another() -> None:
    slow = np.linspace(0.01, 0.02, 10)[:, None, None, None] * np.ones((10, 9, 16, 2))
    # Twice the frames of the same motion: half of it from frame to frame.
    fast = np.linspace(0.005, 0.01, 20)[:, None, None, None] * np.ones((20, 9, 16, 2))
    assert motion_agreement(fast, slow)[0] > 0.97
    assert motion_agreement(2 * fast, slow)[0] < 0.7


def test_pairs_next_to_blank_frames_count_as_those_around_them() -> None:
    motion = np.tile([0.1, 0.0], (10, 9, 16, 1))
    # A clip that stops half way: what is lost of the stand must not make it a better one.
    stops = motion * (np.arange(10) < 5)[:, None, None, None]
    for ours in (motion, stops):
        shown = ours.copy()
        shown[[2, 7, 8]] = np.nan
        value, curve = motion_agreement(shown, motion)
        assert value == pytest.approx(motion_agreement(ours, motion)[0], abs=1e-6) and np.isnan(curve[7])


def test_shaking_shows_in_the_steadiest_moments_and_a_start_does_not() -> None:
    count = 30
    pan = np.zeros((count, 9, 16, 2))
    pan[5:20, ..., 0] = 0.1
    assert of_the_steadiest(tremble(pan)) == 0
    places = np.random.default_rng(0).uniform(-0.02, 0.02, (count + 1, 2))
    shaken = pan + np.diff(places, axis=0)[:, None, None]
    assert 0.005 < of_the_steadiest(tremble(shaken)) < 0.03


def test_a_camera_thrown_around_is_no_steadier_or_shakier_without_some_frames() -> None:
    speed = np.concatenate([np.zeros(5), 0.3 * np.sin(np.linspace(0, 4 * np.pi, 22)), np.zeros(5)])
    whip = np.stack([speed, 0 * speed], -1)[:, None, None] * np.ones((1, 9, 16, 1))
    for bad in range(1, len(speed)):
        lost = whip.copy()
        lost[bad - 1 : bad + 1] = np.nan
        changes = tremble(lost)
        assert np.isnan(changes).sum() in (2, 3)
        assert of_the_steadiest(changes[np.isfinite(changes)]) == pytest.approx(
            of_the_steadiest(tremble(whip)), abs=1e-9
        )


def test_light_goes_on_drifting_while_frames_are_lost() -> None:
    late = np.repeat((np.arange(20) >= 9)[:, None] * 0.1, 3, 1)
    for drift in (np.full((20, 3), 0.1), late):
        whole = drift_since_start(drift)
        drift[[3, 4, 14, 15]] = np.nan
        np.testing.assert_allclose(drift_since_start(drift), whole, atol=1e-9)
    assert drift_since_start(np.full((20, 3), np.nan)).max() == 0


def test_drift_stays_and_a_flash_is_a_jump_but_no_drift() -> None:
    drift = np.zeros((20, 3))
    drift[3:13] = 0.1
    assert drift_since_start(drift)[-1] == pytest.approx(1.0)
    assert jumps(drift)[5:10].max() == pytest.approx(0)
    flash = np.zeros((20, 3))
    flash[8], flash[9] = -2.0, 2.0
    assert drift_since_start(flash).max() == 0
    assert jumps(flash).sum() == pytest.approx(4.0)
