"""Quality figures of a clip."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from instruments.little_world import clip_of, texture
from worldgauge.core.case import Case
from worldgauge.core.metric import METRICS
from worldgauge.instruments.pocket.quality import PictureStatistics
from worldgauge.signals.quality import frame_quality


def test_a_blurred_stretch_shows_in_the_curve(tmp_path: Path) -> None:
    sharp = texture(120, 200)
    frames = [sharp, sharp, cv2.GaussianBlur(sharp, (0, 0), 3), sharp]
    value = frame_quality.function(clip_of(frames, tmp_path), PictureStatistics())
    assert {array.shape for array in value.values()} == {(4,)}
    measured = METRICS.get("picture_quality").function(Case(id="x"), value)
    curve = measured.curve
    assert curve is not None and int(np.argmin(np.array(curve, float))) == 2
    assert measured.value == pytest.approx(np.mean(np.array(curve, float)))


@pytest.mark.parametrize("kind", ["black", "white", "noise"])
def test_degenerate_frames_have_finite_figures_in_range(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = {
        "black": np.zeros((60, 80, 3), np.uint8),
        "white": np.full((60, 80, 3), 255, np.uint8),
        "noise": rng.integers(0, 256, (60, 80, 3), dtype=np.uint8),
    }[kind]
    value = frame_quality.function(clip_of([frame, frame], tmp_path), PictureStatistics())
    assert all(np.isfinite(array).all() for array in value.values())
    assert (value["overall"] >= 0).all() and (value["overall"] < 0.25).all()
