"""Definitions for engine tests: a signal that takes its time, and metrics that share it."""

from __future__ import annotations

import time

import numpy as np

from worldgauge import Clip, Measurement, metric, signal


@signal(version=1, reads=("video",), name="test_brightness")
def brightness(clip: Clip, *, delay: float = 0.02, gain: float = 1.0) -> dict[str, np.ndarray]:
    """Mean brightness of each frame, slowly."""
    time.sleep(delay)
    return {"mean": np.array([frame.mean() * gain for frame in clip.frames()])}


@signal(version=1, reads=("video",), needs=(brightness(),), name="test_contrast")
def contrast(clip: Clip, levels: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Standard deviation of each frame over its brightness."""
    return {"ratio": np.array([f.std() for f in clip.frames()]) / levels["mean"]}


@metric(unit="levels", higher_is_better=None, bounds=(0, 255), needs=[brightness()])
def test_mean_brightness(case: object, levels: dict[str, np.ndarray]) -> Measurement:
    """Mean brightness."""
    return Measurement.from_curve(levels["mean"])


@metric(unit="levels", higher_is_better=None, bounds=(0, 255), needs=[brightness()])
def test_peak_brightness(case: object, levels: dict[str, np.ndarray]) -> Measurement:
    """Brightness of the brightest frame."""
    return Measurement.from_curve(levels["mean"], reduce=np.max)


@metric(unit="", higher_is_better=None, bounds=(0, 10), needs=[contrast()])
def test_contrast_ratio(case: object, ratio: dict[str, np.ndarray]) -> Measurement:
    """Mean contrast."""
    return Measurement.from_curve(ratio["ratio"])


@metric(unit="", higher_is_better=None, bounds=(-10, 10), needs=[brightness(), contrast()])
def test_both(case: object, levels: dict[str, np.ndarray], ratio: dict[str, np.ndarray]) -> Measurement:
    """Uses two signals."""
    return Measurement(float(ratio["ratio"].mean() - levels["mean"].mean() / 255))
