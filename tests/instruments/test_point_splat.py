"""A cloud of points on a wall whose pictures are known, and on rendered worlds with their true depth."""

from __future__ import annotations

import numpy as np
import pytest

from worldgauge.blocks import Block
from worldgauge.functional.photometric import ssim
from worldgauge.functional.pose import invert
from worldgauge.functional.scenes import SceneCameras, completed
from worldgauge.instruments.pocket.point_splat import PointSplat, point_scene

SIZE = (40, 24)
LENS = np.array([[30.0, 0, 20.0], [0, 30.0, 12.0], [0, 0, 1]])
SHIFT = 4
"""Px that the wall moves from one frame to the next."""


def wall() -> tuple[np.ndarray, SceneCameras]:
    """Three frames of a wall two units away, along which the camera steps to the right."""
    texture = np.random.default_rng(0).integers(0, 256, (SIZE[1], SIZE[0] + 2 * SHIFT, 3), np.uint8)
    frames = np.stack([texture[:, SHIFT * k : SHIFT * k + SIZE[0]] for k in range(3)])
    poses = np.tile(np.eye(4), (3, 1, 1))
    poses[:, 0, 3] = SHIFT * 2 / 30 * np.arange(3)
    return frames, SceneCameras(invert(poses), np.tile(LENS, (3, 1, 1)), SIZE)


def test_a_wall_is_seen_as_it_is_from_where_nobody_stood() -> None:
    frames, cameras = wall()
    scene = point_scene(frames, np.full((2, SIZE[1], SIZE[0]), 2.0, np.float32), cameras, [0, 2])
    picture, covered = scene.render(cameras.world_to_camera[1], LENS, SIZE)
    assert covered.all(), "each of the two shows what the other does not"
    assert np.abs(np.rint(picture * 255) - frames[1]).max() <= 1


def test_what_is_masked_is_shown_by_the_others() -> None:
    frames, cameras = wall()
    painted = frames.copy()
    masks = np.zeros(frames.shape[:3], bool)
    masks[0, 8:14, 14:20] = True
    painted[masks] = 255
    depth = np.full((3, SIZE[1], SIZE[0]), 2.0, np.float32)
    scene = point_scene(painted, depth, cameras, [0, 1, 2], masks)
    picture, covered = scene.render(cameras.world_to_camera[0], LENS, SIZE)
    assert covered[masks[0]].all() and np.abs(np.rint(picture * 255) - frames[0])[masks[0]].max() <= 1


def test_near_things_hide_far_ones() -> None:
    near, far = (np.full((*SIZE[::-1], 3), grey, np.uint8) for grey in (200, 50))
    depth = np.stack([np.full(SIZE[::-1], 1.0), np.full(SIZE[::-1], 5.0)]).astype(np.float32)
    still = SceneCameras(np.tile(np.eye(4), (2, 1, 1)), np.tile(LENS, (2, 1, 1)), SIZE)
    picture, _ = point_scene([near, far], depth, still, [0, 1]).render(np.eye(4), LENS, SIZE)
    assert np.rint(picture * 255).min() == 200


def test_points_at_a_guess_show_only_where_no_other_is() -> None:
    frames, cameras = wall()
    depth = np.full((3, SIZE[1], SIZE[0]), 2.0, np.float32)
    known = np.ones(depth.shape, bool)
    # The first frame guesses too near on its left, which the others see; the upper rows are a guess of all.
    depth[0, :, :16], known[0, :, :16] = 0.7, False
    known[:, :5] = False
    scene = point_scene(frames, depth, cameras, [0, 1, 2], known=known)
    picture, covered = scene.render(cameras.world_to_camera[1], LENS, SIZE)
    assert (covered[:4] == 0.5).all() and (covered[8:] == 1).all()
    assert np.abs(np.rint(picture * 255) - frames[1])[8:].max() <= 1, "what is wrong and near hides nothing"


def test_gaps_are_filled_by_inverse_depths_around_them() -> None:
    depth = np.zeros((9, 33), np.float32)
    depth[:, 0], depth[:, -1] = 1.0, 4.0
    found = completed(depth, depth > 0)
    assert (found[:, 0] == 1).all() and (found[:, -1] == 4).all() and (found > 0).all()
    assert found[4, 4] < found[4, 16] < found[4, 28]


@pytest.mark.nightly
@pytest.mark.parametrize(("path", "least"), [("orbit_left", 0.8), ("away_left", 0.9)])
def test_a_frame_of_a_rendered_world_by_true_depth_and_by_the_pockets_own(path: str, least: float) -> None:
    truth = Block(20200, family="street", path=path, process="melting", size=(224, 126), frames=17).render()
    lens = np.tile(truth.camera.intrinsics[0], (17, 1, 1))
    moves = path == "orbit_left"
    cameras = SceneCameras(invert(truth.camera.poses), lens, (224, 126), moves)
    even = list(range(0, 17, 2))
    by_truth = point_scene(truth.frames, np.where(np.isfinite(truth.depth), truth.depth, 500)[even], cameras, even)
    scenes = {"truth": by_truth, "pocket": PointSplat().reconstruct(truth.frames, cameras, sources=even)}
    for name, scene in scenes.items():
        picture, covered = scene.render(scene.cameras.world_to_camera[7], lens[7], (224, 126))
        shown = np.where(covered[..., None] > 0, np.clip(picture * 255, 0, 255), truth.frames[7]).astype(np.uint8)
        assert ssim(shown, truth.frames[7]) > least, name
        assert covered.mean() > 0.95, name
