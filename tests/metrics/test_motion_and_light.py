"""Motion and light through DIS flow, on clips whose camera and light are known."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from worldgauge.core.case import Case
from worldgauge.core.clip import Clip
from worldgauge.core.errors import Unscored
from worldgauge.core.metric import METRICS, Measurement
from worldgauge.core.signal import Arrays
from worldgauge.core.video import Video
from worldgauge.instruments.pocket.flow import DisFlow
from worldgauge.signals.flow import flow_fields
from worldgauge.signals.motion import motion_cells
from worldgauge.signals.usable import usable_frames

COUNT, HEIGHT = 16, 90


def _seen(shifts: np.ndarray, light: np.ndarray | None = None) -> np.ndarray:
    """A textured wall, moved by (N, 2) whole pixels, in the light of (N,) factors."""
    noise = np.random.default_rng(0).normal(size=(200, 300, 3)).astype(np.float32)
    smooth = cv2.GaussianBlur(noise, (0, 0), 2.5)
    wall = 110 + smooth / smooth.std() * 30
    gains = np.ones(len(shifts)) if light is None else light
    frames = [gain * wall[40 + y :, 40 + x :][:HEIGHT, :160] for (x, y), gain in zip(shifts, gains, strict=True)]
    return np.clip(frames, 0, 255).astype(np.uint8)


def _motion(frames: np.ndarray) -> Arrays:
    clip = Clip(Video.from_array(frames, layout="THWC", fps=16))
    value: Arrays = motion_cells.function(
        clip, list(flow_fields.function(clip, DisFlow())), usable_frames.function(clip)
    )
    return value


def _measure(name: str, *signals: Arrays) -> Measurement:
    found: Measurement = METRICS.get(name).function(Case(id="x"), *signals)
    return found


PAN = np.stack([2 * np.arange(COUNT), np.zeros(COUNT, int)], -1)


def test_a_smooth_pan_is_steady_and_a_shaken_one_is_not() -> None:
    tremble = np.random.default_rng(1).integers(-2, 3, (COUNT, 2))
    smooth, shaken = (_motion(_seen(shifts)) for shifts in (PAN, PAN + tremble))
    assert _measure("camera_shake", smooth).value < 0.1
    # Two pixels of ninety rows: what four are of 180.
    assert _measure("camera_shake", shaken).value > 0.5
    assert _measure("motion_agreement", smooth, smooth).value == 1.0
    assert _measure("motion_agreement", shaken, smooth).value < 0.8


def test_a_still_clip_moves_as_nothing_does() -> None:
    still = _motion(_seen(0 * PAN))
    assert _measure("motion_agreement", still, _motion(_seen(PAN))).value < 0.05


def test_light_that_fades_drifts_and_a_flash_jumps() -> None:
    fading = _motion(_seen(PAN, 2.0 ** -np.linspace(0, 1, COUNT)))
    flash = np.ones(COUNT)
    flash[8] = 0.4
    flashing, plain = _motion(_seen(PAN, flash)), _motion(_seen(PAN))
    drift = {name: _measure("lighting_drift", m).value for name, m in (("fade", fading), ("plain", plain))}
    # One stop at the end, half of it on the mean; the darkest pixels count a little less.
    assert drift["fade"] == pytest.approx(0.47, abs=0.06) and drift["plain"] < 0.02
    assert _measure("lighting_drift", flashing).value < 0.03
    assert _measure("exposure_jumps", flashing).value > 10 * max(
        _measure("exposure_jumps", m).value for m in (fading, plain)
    )


def test_a_black_frame_is_left_out_and_a_black_clip_is_not_scored() -> None:
    frames = _seen(PAN)
    black = frames.copy()
    black[5] = 0
    plain, gap = _motion(frames), _motion(black)
    assert _measure("motion_agreement", gap, plain).value == pytest.approx(1, abs=0.02)
    assert _measure("camera_shake", gap).value < 0.1
    nothing = _motion(np.zeros_like(frames))
    for name, signals in (("motion_agreement", (nothing, plain)), ("camera_shake", (nothing,))):
        with pytest.raises(Unscored, match="are usable"):
            _measure(name, *signals)


def test_two_frames_cannot_shake(tmp_path: Path) -> None:
    with pytest.raises(Unscored, match="two frames"):
        _measure("camera_shake", _motion(_seen(PAN[:2])))


def test_a_flash_costs_neither_motion_nor_steadiness_nor_light() -> None:
    light = np.ones(COUNT)
    light[[4, 9]] = 0.1, 1.9
    plain, flashing = _motion(_seen(PAN)), _motion(_seen(PAN, light))
    agrees = _measure("motion_agreement", flashing, plain)
    assert agrees.value == pytest.approx(1, abs=0.02) and agrees.left_out == pytest.approx(4 / 15)
    for name in ("camera_shake", "lighting_drift"):
        assert _measure(name, flashing).value == pytest.approx(_measure(name, plain).value, abs=0.02), name


def test_frames_lost_from_a_shaken_clip_do_not_steady_it() -> None:
    tremble = np.random.default_rng(1).integers(-2, 3, (COUNT, 2))
    shaken = _motion(_seen(PAN + tremble))
    holes = {**shaken, "velocity": shaken["velocity"].copy()}
    holes["velocity"][[3, 4, 8, 9]] = np.nan
    assert _measure("camera_shake", holes).value > 0.5
