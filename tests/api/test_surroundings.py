"""The caller's process is left as it was found, and nothing is printed."""

from __future__ import annotations

import logging
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import torch

import helpers
import worldgauge as wg
from worldgauge.core.metric import METRICS

FRAMES = helpers.moving_texture(6)


def state() -> dict[str, Any]:
    root = logging.getLogger()
    cudnn = torch.backends.cudnn
    return {
        "python": random.getstate(),
        "numpy": [str(part) for part in np.random.get_state()],
        "torch": torch.random.get_rng_state().tolist(),
        "opencv threads": cv2.getNumThreads(),
        "torch threads": torch.get_num_threads(),
        "environment": dict(os.environ),
        "folder": Path.cwd(),
        "logging": (root.level, list(root.handlers), logging.root.manager.disable),
        "cudnn": (cudnn.enabled, cudnn.benchmark, cudnn.deterministic, cudnn.allow_tf32),
    }  # fmt: skip


def touch_everything(case: wg.Case) -> wg.Measurement:
    """A metric that changes what it should not."""
    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)
    torch.set_num_threads(3)
    torch.backends.cudnn.benchmark = True
    cv2.setNumThreads(5)
    return wg.Measurement(1.0)


THREADS_SEEN: list[int] = []


def look_at_threads(case: wg.Case) -> wg.Measurement:
    """A metric that writes down OpenCV's threads."""
    THREADS_SEEN.append(cv2.getNumThreads())
    return wg.Measurement(1.0)


@pytest.fixture(autouse=True)
def _own_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two above, known during a test only."""
    METRICS.names()
    monkeypatch.setattr(METRICS, "_entries", dict(METRICS._entries))
    for name, function in (("meddling", touch_everything), ("watching_threads", look_at_threads)):
        wg.metric(unit="", higher_is_better=None, bounds=(0, 9), name=name)(function)


CALLS: dict[str, Callable[[], object]] = {
    "measure": lambda: wg.measure(FRAMES),
    "meddling": lambda: wg.measure(FRAMES, "meddling"),
    "evaluate": lambda: wg.evaluate({"a": FRAMES}, metrics="meddling,flow_magnitude"),
    "workers": lambda: wg.evaluate({"a": FRAMES, "b": FRAMES}, metrics="flow_magnitude", workers=2),
    "gauge": lambda: wg.Gauge("meddling,flow_magnitude", layout="BTHWC")(FRAMES[None]),
}


@pytest.mark.parametrize("name", CALLS)
def test_as_found(name: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    threads = cv2.getNumThreads()
    cv2.setNumThreads(2)
    try:
        before = state()
        CALLS[name]()
        assert state() == before
    finally:
        cv2.setNumThreads(threads)
    assert capfd.readouterr() == ("", "")


def test_as_found_after_a_mistake() -> None:
    before = state()
    with pytest.raises(wg.WorldGaugeError, match="unknown metric"):
        wg.evaluate({"a": FRAMES}, metrics="psnrr")
    with pytest.raises(ZeroDivisionError):
        wg.evaluate({"a": FRAMES}, metrics="meddling", progress=lambda done, total: done / 0)
    assert state() == before


def test_work_is_done_with_one_opencv_thread() -> None:
    """OpenCV splits some algorithms by its threads: the numbers must not depend on the caller's setting."""
    THREADS_SEEN.clear()
    gauge = wg.Gauge("watching_threads", layout="BTHWC")
    before = cv2.getNumThreads()
    cv2.setNumThreads(2)
    try:
        gauge(FRAMES[None])
        wg.measure(FRAMES, "watching_threads")
        wg.evaluate({"a": FRAMES}, metrics="watching_threads")
    finally:
        cv2.setNumThreads(before)
    assert THREADS_SEEN == [1, 1, 1]
