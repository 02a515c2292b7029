"""Camera control against closed forms: constant offset, linear drift, out and back."""

from __future__ import annotations

import math

import numpy as np
import pytest

from worldgauge.benchmarks.memobench.formulas.camera_control import control_score, followed_share
from worldgauge.functional.rotation_agreement import compare_rotations


def pan(degrees: np.ndarray) -> np.ndarray:
    """Poses that turn about the vertical axis by these angles."""
    poses = np.tile(np.eye(4), (len(degrees), 1, 1))
    angle = np.radians(degrees)
    poses[:, 0, 0], poses[:, 0, 2] = np.cos(angle), np.sin(angle)
    poses[:, 2, 0], poses[:, 2, 2] = -np.sin(angle), np.cos(angle)
    return poses


def test_a_constant_offset_is_taken_out_by_the_first_frame() -> None:
    path = np.linspace(0, 60, 15)
    tilt = pan(np.array([17.0]))[0]
    agreement = compare_rotations(tilt @ pan(path), pan(path))
    assert agreement.rms == pytest.approx(0, abs=1e-6)
    assert agreement.net_rotation == pytest.approx(60)


def test_an_offset_after_the_first_frame_is_the_error_of_every_other_frame() -> None:
    path = np.linspace(0, 60, 15)
    late = path + np.where(np.arange(15) > 0, 12.0, 0.0)
    assert compare_rotations(pan(late), pan(path)).rms == pytest.approx(12 * math.sqrt(14 / 15))


def test_linear_drift_has_the_rms_of_a_ramp() -> None:
    frames, drift = 20, 0.4
    path = np.linspace(0, 30, frames)
    agreement = compare_rotations(pan(path + drift * np.arange(frames)), pan(path))
    # Sum of squares of 0..n-1 is (n - 1) n (2n - 1) / 6.
    assert agreement.rms == pytest.approx(drift * math.sqrt((frames - 1) * (2 * frames - 1) / 6))
    assert agreement.mean_step_error == pytest.approx(drift)


def test_out_and_back_has_no_net_rotation_but_a_path() -> None:
    out = np.concatenate([np.linspace(0, 35, 11), np.linspace(35, 0, 11)[1:]])
    agreement = compare_rotations(pan(np.zeros(21)), pan(out))
    assert agreement.net_rotation == pytest.approx(0, abs=1e-6)
    assert agreement.path_rotation == pytest.approx(70)
    assert agreement.rms == pytest.approx(math.sqrt((out**2).mean()))
    assert control_score(agreement.rms, agreement.net_rotation) == 0.0
    followed = compare_rotations(pan(0.9 * out), pan(out))
    # A path followed to nine tenths loses more than the whole score of a one-way pan would: the floor is 10 degrees.
    assert control_score(followed.rms, followed.net_rotation) == pytest.approx(1 - followed.rms / 10)
    still = agreement.rms
    assert followed_share(followed.rms, still, noise_deg=1.0) == pytest.approx(1 - (0.1 * still - 1) / (still - 1))
    assert followed_share(agreement.rms, still, noise_deg=1.0) == 0.0
    turned_away = compare_rotations(pan(-out), pan(out))
    assert followed_share(turned_away.rms, still, noise_deg=1.0) == 0.0


def test_a_motionless_camera_keeps_42_per_cent_of_a_one_way_turn() -> None:
    path = np.linspace(0, 90, 2001)
    agreement = compare_rotations(pan(np.zeros(2001)), pan(path))
    assert agreement.rms == pytest.approx(90 / math.sqrt(3), rel=1e-3)
    assert control_score(agreement.rms, agreement.net_rotation) == pytest.approx(0.42, abs=0.005)
