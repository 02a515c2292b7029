"""Depth from motion on a world of flat cards whose depth is known."""

from pathlib import Path

import numpy as np
import pytest

from instruments.billboards import LENS, film, pan, slide
from instruments.little_world import clip_of
from worldgauge.core.errors import Unscored
from worldgauge.instruments.pocket.depth import MotionDepth, sources
from worldgauge.instruments.pocket.poses import BundlePoses
from worldgauge.signals.depth import depth


def scaled(path: np.ndarray, unit: float) -> np.ndarray:
    """The path in units of the typical depth."""
    path = path.copy()
    path[:, :3, 3] /= unit
    return path


@pytest.mark.parametrize(("right", "forward"), [(0.6, 0.0), (0.0, 0.9)])
def test_depth_with_true_poses(right: float, forward: float) -> None:
    path = slide(9, right, forward, turn=3.0)
    frames, true = film(path)
    found, valid = MotionDepth().maps(frames, scaled(path, 5.0), LENS, [0, 4, 8])
    assert (found[~valid] == 0).all()
    for k, frame in enumerate([0, 4, 8]):
        assert valid[k].mean() > 0.4
        ratio = 5.0 * found[k][valid[k]] / true[frame][valid[k]]
        assert np.median(ratio) == pytest.approx(1.0, abs=0.05)
        assert np.percentile(np.abs(ratio - 1), 80) < 0.15


def test_a_turning_camera_sees_no_depth() -> None:
    path = pan(np.linspace(0, 20, 6))
    with pytest.raises(Unscored, match="no parallax"):
        MotionDepth().maps(film(path)[0], path, LENS, [0, 3])


def test_sources_look_both_ways_and_not_round_corners() -> None:
    path = scaled(slide(41, 2.0), 5.0)
    before_and_after = sources(path, 20, LENS)
    assert min(before_and_after) < 20 < max(before_and_after)
    assert sources(pan(np.linspace(0, 90, 41)), 20, LENS) == []
    turning = slide(41, 2.0, turn=300.0)
    assert all(abs(k - 20) <= 4 for k in sources(scaled(turning, 5.0), 20, LENS))


def test_untextured_surfaces_are_not_claimed() -> None:
    path = slide(9, 0.6)
    frames, _ = film(path)
    frames = frames.copy()
    frames[:, :, 150:] = 128
    _, valid = MotionDepth().maps(frames, scaled(path, 5.0), LENS, [4])
    assert not valid[0, 20:-20, 170:-10].any()


def test_signal(tmp_path: Path) -> None:
    path = slide(9, 0.8)
    frames, true = film(path)
    clip = clip_of(frames, tmp_path / "clip").under(depth.frames)
    found = BundlePoses().trajectory(frames, LENS)
    arrays = {
        "poses": found.poses, "intrinsics": LENS.matrix(), "size": np.array(LENS.size), "moves": np.array(found.moves)
    }  # fmt: skip
    maps = depth.function(clip, arrays, MotionDepth(), every=4, shrink=2)
    assert maps["depth"].shape == (3, 80, 120)
    assert maps["frames"].tolist() == [0, 4, 8]
    claimed = maps["depth"][1] > 0
    assert maps["valid_share"][1] == pytest.approx(claimed.mean(), abs=0.03)
    ratio = maps["depth"][1][claimed] / true[4, 1::2, 1::2][claimed]
    assert np.percentile(np.abs(ratio / np.median(ratio) - 1), 80) < 0.15
    # The kept pixel (0, 0) is pixel (1, 1) of the frame, whose centre is at (1.5, 1.5).
    ray = np.linalg.inv(maps["intrinsics"]) @ [0.5, 0.5, 1.0]
    np.testing.assert_allclose(ray, np.linalg.inv(LENS.matrix()) @ [1.5, 1.5, 1.0], atol=1e-12)
    with pytest.raises(Unscored, match="no parallax"):
        depth.function(clip, {**arrays, "moves": np.array(False)}, MotionDepth())
