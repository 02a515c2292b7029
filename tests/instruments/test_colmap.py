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


@pytest.mark.parametrize("given", [True, False])
def test_a_turning_camera_has_its_rotations_and_no_path(given: bool) -> None:
    pytest.importorskip("pycolmap")
    true = pan(np.array([0, 5, 10, 15, 20, 25, 15, 5.0]))
    found = colmap.ColmapPoses().trajectory(film(true)[0], LENS if given else None)
    assert pose.rotation_errors(found.poses, true).max() < (0.1 if given else 0.3)
    assert not found.moves and not found.poses[:, :3, 3].any()
    assert found.lens_source == ("given" if given else "estimated")
    assert found.lens.focal == pytest.approx(LENS.focal, rel=1e-9 if given else 0.02)
    assert found.residual.max() < 1 and found.confidence.min() > 0.5
    assert len(found.distance) == 7 and found.sightings.min() > 15


def test_frames_without_anything_to_match_are_unscored() -> None:
    pytest.importorskip("pycolmap")
    frames = film(pan(np.linspace(0, 10, 4)))[0]
    frames[2] = 128
    with pytest.raises(Unscored):
        colmap.ColmapPoses().trajectory(frames, LENS)
