"""Fill, masks and likeness on pictures whose answers are known."""

from __future__ import annotations

import numpy as np
import pytest

from worldgauge.benchmarks.worldolympiad.formulas.background_fill import fill_background, fill_by_camera
from worldgauge.benchmarks.worldolympiad.formulas.photometric import distance_compared, laid_over, likeness
from worldgauge.benchmarks.worldolympiad.formulas.self_motion import MOST_AREA, misses, things
from worldgauge.functional.pose import invert
from worldgauge.functional.scenes import SceneCameras
from worldgauge.instruments.pocket.point_splat import point_scene

LENS = np.array([[60.0, 0, 32.0], [0, 60.0, 20.0], [0, 0, 1]])
SIZE = (64, 40)


def test_a_moving_camera_pastes_wrong_background_unless_it_is_heeded() -> None:
    texture = np.random.default_rng(1).integers(20, 256, (40, 64 + 30, 3), np.uint8)
    frames = np.stack([texture[:, 6 * k : 6 * k + 64] for k in range(6)])
    poses = np.tile(np.eye(4), (6, 1, 1))
    poses[:, 0, 3] = 6 * 3 / 60 * np.arange(6)
    cameras = SceneCameras(invert(poses), np.tile(LENS, (6, 1, 1)), SIZE)
    masks = np.zeros((6, 40, 64), bool)
    masks[2, 10:20, 30:40] = True
    covered_up = np.where(masks[..., None], 255, frames).astype(np.uint8)
    scene = point_scene(covered_up, np.full((6, 40, 64), 3.0, np.float32), cameras, range(6), masks)
    filled, unseen = fill_by_camera(covered_up, masks, scene)
    released, _ = fill_background(covered_up, masks)
    wrong = {
        name: np.abs(one[2].astype(int) - frames[2])[masks[2]].mean()
        for name, one in (("ours", filled), ("released", released))
    }
    assert wrong["ours"] <= 1 and unseen == 0
    assert wrong["released"] > 40, "of another place"
    assert np.array_equal(filled[0], frames[0]), "where nothing moves nothing is changed"


def turn(degrees: float, step: tuple[float, float, float] = (0, 0, 0)) -> np.ndarray:
    pose, angle = np.eye(4), np.radians(degrees)
    pose[:3, :3] = [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]]
    pose[:3, 3] = step
    return pose


def flow_of(depth: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Of a static scene, from a camera at the origin to another one."""
    y, x = np.mgrid[:40, :64] + 0.5
    ray = np.stack([(x - 32) / 60, (y - 20) / 60, np.ones_like(x)], axis=-1) * depth[..., None]
    seen = (ray - there[:3, 3]) @ there[:3, :3]
    place = seen[..., :2] / seen[..., 2:] * 60 + (32, 20)
    return np.asarray(place - np.stack([x, y], axis=-1), np.float32)


@pytest.mark.parametrize("step", [(0, 0, 0), (0.3, 0, 0.1)])
def test_flow_of_a_static_scene_misses_nothing_and_a_thing_that_moves_does(step: tuple[float, float, float]) -> None:
    depth = np.random.default_rng(2).uniform(2, 6, (40, 64))
    there = turn(3, step)
    flow = flow_of(depth, there)
    assert misses(flow, np.eye(4), there, LENS).max() < 0.01
    flow[15:25, 20:30, 1] += 4
    found = things(misses(flow, np.eye(4), there, LENS), np.zeros((40, 64)), 416)
    truth = np.zeros((40, 64), bool)
    truth[15:25, 20:30] = True
    assert (found & truth).sum() / (found | truth).sum() > 0.9


def test_where_everything_sways_nothing_is_called_a_thing_that_moves() -> None:
    assert not things(np.full((40, 64), 9.0), np.zeros((40, 64)), 416).any()
    half = np.zeros((40, 64))
    half[:, :8], half[:, 20:28] = 9.0, 9.0
    found = things(half, np.zeros((40, 64)), 416)
    assert 0 < found.mean() <= MOST_AREA, "the second would be more than may be left out"


def test_only_what_the_scene_shows_and_what_stands_still_counts() -> None:
    frame = np.random.default_rng(3).integers(0, 256, (30, 40, 3), np.uint8)
    picture = frame.copy()
    picture[:10] = 0
    everywhere, nowhere = np.ones((30, 40), bool), np.zeros((30, 40), bool)
    rows = np.zeros((30, 40), bool)
    rows[:10] = True
    whole = laid_over(frame, picture, everywhere, nowhere)
    assert likeness(frame, whole.shown, whole.compared).ssim < 0.75
    unseen, moving = laid_over(frame, picture, ~rows, nowhere), laid_over(frame, picture, everywhere, rows)
    for one in (unseen, moving):
        found = likeness(frame, one.shown, one.compared)
        assert (found.ssim, found.psnr) == (1.0, 99.0)
    assert unseen.covered == pytest.approx(2 / 3) and moving.covered == 1.0
    assert not laid_over(frame, picture, rows, nowhere).counts, "a third is too little"
    assert distance_compared(0.2, whole.compared) == 0.2
    assert distance_compared(0.2, unseen.compared) == pytest.approx(0.3), "what is not compared does not pay"
