"""Frames are paired by number; sizes and lengths that differ follow the stated rule."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from worldgauge.core.case import Case
from worldgauge.core.clip import Clip
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.metric import METRICS
from worldgauge.core.video import Video
from worldgauge.signals.fidelity import pixel_errors


def clip(folder: Path, frames: np.ndarray) -> Clip:
    folder.mkdir()
    for number, frame in enumerate(frames):
        Image.fromarray(frame).save(folder / f"{number:04d}.png")
    return Clip(Video(folder))


def noise(frames: int, width: int = 24, height: int = 16) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (frames, height, width, 3), np.uint8)


def test_identical_clips_are_perfect_in_every_frame(tmp_path: Path) -> None:
    errors = pixel_errors.function(clip(tmp_path / "a", noise(3)), clip(tmp_path / "b", noise(3)))
    assert errors["psnr"].tolist() == [99.0] * 3
    assert errors["ssim"].tolist() == [1.0] * 3


def test_lengths_that_differ_compare_the_common_prefix_and_say_so(tmp_path: Path) -> None:
    errors = pixel_errors.function(clip(tmp_path / "a", noise(5)), clip(tmp_path / "b", noise(8)))
    assert len(errors["psnr"]) == 5
    measurement = METRICS.get("psnr").function(Case(id="c"), errors)
    assert measurement.value == 99.0
    assert measurement.curve == (99.0,) * 5
    assert "clip has 5, the reference 8" in measurement.reason


def test_a_clip_shorter_than_half_the_reference_is_invalid(tmp_path: Path) -> None:
    with pytest.raises(InvalidVideo, match="fewer than half"):
        pixel_errors.function(clip(tmp_path / "a", noise(3)), clip(tmp_path / "b", noise(8)))


@pytest.mark.parametrize("size", [(48, 32), (12, 8)])
def test_a_clip_of_another_size_is_resized_to_the_reference(tmp_path: Path, size: tuple[int, int]) -> None:
    flat = np.full((2, 16, 24, 3), 60, np.uint8)
    other = np.full((2, size[1], size[0], 3), 80, np.uint8)
    errors = pixel_errors.function(clip(tmp_path / "a", other), clip(tmp_path / "b", flat))
    assert errors["psnr"] == pytest.approx([10 * np.log10(255**2 / 400)] * 2)
