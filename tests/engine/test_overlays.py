"""Overlays drawn from stored signals: the right thing at the right place, and as many pictures as frames."""

from pathlib import Path

import numpy as np

from worldgauge.core.clip import Clip
from worldgauge.core.video import Video
from worldgauge.engine.overlays import MOST_FRAMES, depth_maps, flow_arrows, match_lines
from worldgauge.media.encoder import write_video
from worldgauge.signals.flow import GRID_COLUMNS, flow_fields, flow_pairs
from worldgauge.signals.usable import usable_frames

SIZE = (160, 90)


class Sideways:
    """A flow instrument that sees everything move right by two pixels in the left half, and nothing in the right."""

    def flow_stacks(self, frames, pairs):
        field = np.zeros((1, *frames[0].shape[:2], 2), np.float32)
        field[:, :, : frames[0].shape[1] // 2, 0] = 2.0
        return (field for _ in pairs)


def test_the_flow_grid_holds_the_mean_of_each_cell(tmp_path: Path):
    frames = [np.full((90, 160, 3), 40 * i, np.uint8) for i in range(3)]
    write_video(tmp_path / "clip.mkv", frames, 8)
    clip = Clip(Video(tmp_path / "clip.mkv"))
    grid = flow_pairs.function(clip, flow_fields.function(clip, Sideways()), usable_frames.function(clip))["grid"]
    assert grid.shape == (2, 9, GRID_COLUMNS, 2)
    np.testing.assert_array_equal(grid[..., :8, 0], 2)
    np.testing.assert_array_equal(grid[..., 8:, :], 0)


def test_arrows_point_along_the_flow():
    grid = np.zeros((4, 9, 16, 2), np.float16)
    grid[:, 4, 8] = (5, 0)
    pictures = list(flow_arrows({"grid": grid}, SIZE))
    assert len(pictures) == 5
    row = pictures[0][44:46].max(axis=(0, 2)) > 100
    # The cell's middle is at 85 px, and four frames' way of 5 px each ends at 105.
    assert row[85 : 85 + 5 * int(MOST_FRAMES) - 1].all()
    assert not row[110:].any()


def test_fast_flow_does_not_fill_the_picture():
    single = np.full((1, 9, 16, 2), (30, 0), np.float16)
    single[0, 4, 1:] = 0
    # Cells are 10 px wide, so the arrow of 30 px from 5 px on is shortened to 15 px.
    row = next(flow_arrows({"grid": single}, SIZE))[44:46].max(axis=(0, 2)) > 100
    assert row[6:18].all() and not row[22:24].any()


def test_matches_are_lines_from_one_frame_to_the_other():
    matches = {
        "pairs": np.array([[0, 4], [3, 7]]),
        "starts": np.array([0, 1, 2]),
        "points": np.array([[10.5, 20.5, 50.5, 20.5], [90.5, 60.5, 90.5, 80.5]]),
    }
    pictures = [p.max(axis=2) > 100 for p in match_lines(matches, SIZE, 8)]
    assert len(pictures) == 8
    assert pictures[2][20, 10:51].all() and not pictures[2][60:].any()
    assert pictures[3][60:81, 90].all() and not pictures[3][20].any()


def test_near_is_red_far_is_blue_and_unknown_is_black():
    depth = np.full((2, 9, 16), 10.0, np.float16)
    depth[:, :, :8] = 1.0
    depth[:, 0] = 0.0
    pictures = list(depth_maps({"frames": np.array([0, 4]), "depth": depth}, 8))
    assert len(pictures) == 8
    near, far = pictures[5][5, 2].astype(int), pictures[5][5, 12].astype(int)
    assert near[0] > near[2] and far[2] > far[0]
    assert not pictures[5][0].any()
