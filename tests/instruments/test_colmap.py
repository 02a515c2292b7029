"""COLMAP as a pose instrument; only where pycolmap is installed."""

import numpy as np
import pytest

from instruments.billboards import LENS, film, pan, slide
from worldgauge.core import instrument
from worldgauge.core.errors import Unavailable, Unscored
from worldgauge.functional import pose
from worldgauge.instruments import colmap


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instrument.importlib.util, "find_spec", lambda name: None)
    assert "worldgauge[geometry]" in (colmap.ColmapPoses().unavailable() or "")
    with pytest.raises(Unavailable):
        colmap.ColmapPoses().trajectory([np.zeros((64, 64, 3), np.uint8)] * 2)


def test_a_moving_camera() -> None:
    pytest.importorskip("pycolmap")
    true = slide(10, 0.8, 0.2, 5.0)
    found = colmap.ColmapPoses().trajectory(film(true)[0], LENS)
    assert found.lens.focal == pytest.approx(LENS.focal)
    assert pose.rotation_errors(pose.align_first_frame(found.poses, true), true).max() < 0.3
    assert np.nanmedian(pose.direction_errors(found.poses, true)) < 2


def test_a_turning_camera_is_unscored() -> None:
    pytest.importorskip("pycolmap")
    with pytest.raises(Unscored):
        colmap.ColmapPoses().trajectory(film(pan(np.linspace(0, 25, 6)))[0], LENS)
