"""The pose instrument on worlds of flat cards, where every pose is known, and on input that has none."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from instruments.billboards import CARDS, LENS, WALL, Card, film, pan, slide
from instruments.little_world import clip_of, texture
from worldgauge.core.cameras import CameraPath
from worldgauge.core.errors import InvalidVideo, Unscored
from worldgauge.core.reasons import TOO_FEW_FRAMES
from worldgauge.functional import pose
from worldgauge.functional.lens import lens_of
from worldgauge.instruments.pocket.poses import MOST_CAMERAS, BundlePoses
from worldgauge.signals.poses import as_camera_path, poses, poses_given_lens


def rotation_error(found: np.ndarray, true: np.ndarray) -> float:
    return pose.root_mean_square(pose.rotation_errors(pose.align_first_frame(found, true), true))


def path_error(found: np.ndarray, true: np.ndarray) -> float:
    """Share of the path's length."""
    missed = pose.translation_errors(pose.align_scale(found, true), true)
    return pose.root_mean_square(missed) / pose.path_length(true[:, :3, 3])


def there_and_back(degrees: float, count: int) -> np.ndarray:
    return degrees * np.sin(np.linspace(0, np.pi, count))


def test_a_pan_there_and_back_is_a_turn_in_place() -> None:
    true = pan(there_and_back(45, 25))
    found = BundlePoses().trajectory(film(true)[0], LENS)
    assert not found.moves
    assert np.all(found.poses[:, :3, 3] == 0)
    assert rotation_error(found.poses, true) < 0.2
    assert found.confidence.min() > 0.5
    assert found.lens_source == "given"


def test_the_lens_of_a_turning_camera_is_found() -> None:
    true = pan(there_and_back(45, 25))
    found = BundlePoses().trajectory(film(true)[0])
    assert found.lens_source == "estimated"
    assert found.lens.focal == pytest.approx(LENS.focal, rel=0.03)
    assert rotation_error(found.poses, true) < 1.0


@pytest.mark.parametrize(("right", "forward", "turn"), [(0.8, 0.0, 0.0), (0.0, 0.9, 0.0), (-0.8, 0.1, 12.0)])
def test_a_moving_camera(right: float, forward: float, turn: float) -> None:
    true = slide(20, right, forward, turn)
    found = BundlePoses().trajectory(film(true)[0], LENS)
    assert found.moves
    assert rotation_error(found.poses, true) < 0.5
    assert np.nanmedian(pose.direction_errors(found.poses, true)) < 4
    assert path_error(found.poses, true) < 0.04


def test_a_moving_camera_in_flickering_light() -> None:
    true, random = slide(20, 0.8, 0.0, 0.0), np.random.default_rng(4)
    lit = []
    for frame in film(true)[0]:
        height, width = frame.shape[:2]
        gain, patches = random.uniform(0.8, 1.2), cv2.resize(random.normal(0, 12, (9, 16)), (width, height))
        lit.append(np.clip(frame * gain + patches[..., None], 0, 255).astype(np.uint8))
    found = BundlePoses().trajectory(lit, LENS)
    # Corners followed by their brightness are 0.36 degrees and 0.9 % off here.
    assert rotation_error(found.poses, true) < 0.1
    assert path_error(found.poses, true) < 0.005


def test_a_moving_object_is_not_taken_for_the_camera() -> None:
    still = pan(np.zeros(12))
    frames = np.stack(
        [film(still[:1], (*WALL, *CARDS[1:], Card(-1 + 0.08 * k, 0.2, 2.4, 1.0, 7)))[0][0] for k in range(12)]
    )
    found = BundlePoses().trajectory(frames, LENS)
    assert not found.moves
    assert rotation_error(found.poses, still) < 0.05


def test_equal_frames_are_an_identity_path_and_tell_no_lens() -> None:
    found = BundlePoses().trajectory(np.repeat(film(pan(np.zeros(1)))[0], 6, axis=0))
    assert np.abs(found.poses - np.eye(4)).max() < 1e-6
    assert found.lens_source == "assumed"
    assert found.confidence.min() > 0.9


def degenerate() -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    first, second = film(slide(5, 0.2))[0], np.stack([texture(160, 240, seed) for seed in range(1)] * 5)
    return {
        "black": np.zeros((6, 120, 160, 3), np.uint8),
        "noise": random.integers(0, 256, (8, 120, 160, 3), dtype=np.uint8),
        "cut": np.concatenate([first, second]),
        "every second frame black": np.stack([f * (k % 2) for k, f in enumerate(film(slide(10, 0.4))[0])]),
        "one frame": first[:1],
        "tiny": first[:, :20, :30],
    }


@pytest.mark.parametrize("name", degenerate())
def test_what_cannot_be_placed_is_unscored(name: str) -> None:
    with pytest.raises(Unscored):
        BundlePoses().trajectory(degenerate()[name])


def test_the_reason_names_the_frames() -> None:
    with pytest.raises(Unscored, match="frames 5-9 cannot be placed") as refused:
        BundlePoses().trajectory(degenerate()["cut"])
    assert refused.value.code == TOO_FEW_FRAMES


@pytest.mark.parametrize(("kind", "moving"), [("mixed", False), ("mixed", True), ("three black", False)])
def test_bad_frames_are_left_out_and_the_path_goes_on(kind: str, moving: bool) -> None:
    true = slide(24, 0.9, 0.2, 8.0) if moving else pan(there_and_back(45, 24))
    frames = film(true)[0]
    at = [9, 10, 11] if kind == "three black" else [4, 9, 14, 19]
    flash = 255 - (255 - frames[4]) // 5
    frames[at] = 0
    if kind == "mixed":
        frames[4], frames[14] = flash, texture(160, 240, 5)
        frames[9] = np.random.default_rng(1).integers(0, 256, frames[9].shape, dtype=np.uint8)
    found = BundlePoses().trajectory(frames, LENS)
    assert np.flatnonzero(~found.placed).tolist() == at
    assert found.moves == moving
    assert rotation_error(found.poses[found.placed], true[found.placed]) < 0.4
    # Where nothing is seen the path goes on between its neighbours.
    assert pose.rotation_errors(found.poses, true)[at].max() < 3
    assert not found.confidence[at].any() and not found.sightings[np.subtract(at, 1)].any()


@pytest.mark.parametrize("lost", [[7, 8, 9, 10], [7, 8, 9, 10, 27, 28, 29]])
def test_frames_lost_in_a_fast_turn_cost_themselves_alone(lost: list[int]) -> None:
    """What comes after them joins when the camera is back, or by views that match if that is lost too."""
    there = np.linspace(-35, 35, 7)
    true = pan(np.concatenate([[-35] * 6, there, [35] * 12, there[::-1]]))
    frames = film(true)[0]
    frames[lost] = 0
    found = BundlePoses().trajectory(frames, LENS)
    assert np.flatnonzero(~found.placed).tolist() == lost
    assert not found.moves
    assert rotation_error(found.poses[found.placed], true[found.placed]) < 0.1


@pytest.mark.parametrize(("per_frame", "frames_lost"), [(11, [9, 10, 11]), (18, [9])])
def test_a_moving_camera_that_whips_round_while_frames_are_lost(per_frame: int, frames_lost: list[int]) -> None:
    """Behind them all corners are new: none has a depth yet."""
    slow, fast = np.linspace(0, 6, 8), per_frame * np.arange(1, len(frames_lost) + 3)
    true = pan(np.concatenate([slow, 6 + fast, 6 + fast[-1] + slow]) - 30)
    true[:, 0, 3] = np.linspace(-1.2, 1.2, len(true))
    frames = film(true)[0]
    frames[frames_lost] = 0
    found = BundlePoses().trajectory(frames, LENS)
    assert np.flatnonzero(~found.placed).tolist() == frames_lost
    assert found.moves
    assert rotation_error(found.poses[found.placed], true[found.placed]) < 0.3


def whips(right: float) -> np.ndarray:
    """A camera that whips round and back while it slides, in steps of 11.7 degrees."""
    there = np.linspace(-35, 35, 7)
    true = pan(np.concatenate([[-35] * 6, there, [35] * 12, there[::-1], [-35] * 4]))
    true[:, 0, 3] = np.linspace(-right, right, len(true))
    return true


@pytest.mark.parametrize(("right", "why"), [(0.8, "where frames are missing"), (1.6, "without one part")])
def test_a_path_that_two_frames_beside_a_gap_contradict_is_doubted(right: float, why: str) -> None:
    """Too little is seen in common across so wide a gap for a moving camera; on a faster one the picture's parts
    disagree as well."""
    true = whips(right)
    frames = film(true)[0]
    frames[[7, 8, 9, 10, 27, 28, 29]] = 0
    found = BundlePoses().trajectory(frames, LENS)
    assert rotation_error(found.poses[found.placed], true[found.placed]) > 5
    assert why in found.doubt
    narrower = film(true)[0]
    narrower[[8, 9, 28]] = 0
    found = BundlePoses().trajectory(narrower, LENS)
    assert rotation_error(found.poses[found.placed], true[found.placed]) < 0.5
    assert not found.doubt


def test_a_moving_camera_that_jumps_on_is_not_taken_for_one_that_turns() -> None:
    slow = np.linspace(0, 6, 10)
    true = pan(np.concatenate([slow, 36 + slow]) - 20)
    true[:, 0, 3] = np.linspace(-0.9, 0.9, len(true))
    found = BundlePoses().trajectory(film(true)[0], LENS)
    assert found.moves and found.placed.all()
    assert rotation_error(found.poses, true) < 0.2


def test_what_cannot_be_joined_costs_less_than_a_third_of_the_usable_frames() -> None:
    """Black frames beside it are no reason to refuse more."""
    true = pan(there_and_back(20, 24))
    frames = film(true)[0]
    elsewhere = np.stack([texture(160, 240, 5)] * 6)
    frames[18:], frames[[4, 8, 12]] = elsewhere, 0
    assert BundlePoses().trajectory(frames, LENS).placed.sum() == 15
    frames[16:18] = elsewhere[:2]
    with pytest.raises(Unscored, match="frames 4, 8, 12, 16-23 cannot be placed"):
        BundlePoses().trajectory(frames, LENS)


def test_a_jump_back_to_an_earlier_view_is_a_jump_of_the_camera() -> None:
    angles = np.concatenate([np.linspace(0, 30, 14), np.linspace(12, 24, 6)])
    found = BundlePoses().trajectory(film(pan(angles))[0], LENS)
    assert found.placed.all()
    assert rotation_error(found.poses, pan(angles)) < 0.5


def test_a_foreign_first_frame_does_not_cost_the_clip() -> None:
    true = pan(there_and_back(30, 14))
    frames = film(true)[0]
    frames[0] = texture(160, 240, 5)
    found = BundlePoses().trajectory(frames, LENS)
    assert np.flatnonzero(~found.placed).tolist() == [0]
    assert rotation_error(found.poses[1:], true[1:]) < 0.3


def test_large_frames_are_shrunk_and_answers_are_in_their_pixels() -> None:
    true = slide(8, 0.6)
    frames = film(true)[0].repeat(4, axis=1).repeat(4, axis=2)
    found = BundlePoses().trajectory(frames, LENS.scaled(4.0, (960, 640)))
    assert found.lens.focal == pytest.approx(800)
    assert np.nanmedian(pose.direction_errors(found.poses, true)) < 5


@pytest.mark.slow
@pytest.mark.parametrize("jump", [0, 50])
def test_long_clips_are_placed_frame_by_frame(jump: int) -> None:
    """Also where a clip jumps on and back, so that what lies between hangs on the views that match."""
    angles = there_and_back(30, MOST_CAMERAS + 41)
    angles[61:81] += jump
    found = BundlePoses(corners=120).trajectory(film(pan(angles))[0], LENS)
    assert found.placed.all()
    assert rotation_error(found.poses, pan(angles)) < 0.3


def test_the_same_frames_give_the_same_path() -> None:
    frames = film(slide(8, 0.5))[0]
    first, second = (BundlePoses().trajectory(frames, LENS).poses for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_signals(tmp_path: Path) -> None:
    true = pan(there_and_back(30, 12))
    clip = clip_of(film(true)[0], tmp_path / "clip").under(poses.frames)
    camera = CameraPath(true, LENS.scaled(0.5, (120, 80)).matrix(), (120, 80))
    found = poses_given_lens.function(clip, camera, BundlePoses())
    assert found["lens_source"] == "given"
    np.testing.assert_allclose(found["intrinsics"], LENS.matrix())
    assert rotation_error(found["poses"], true) < 0.3
    free = poses.function(clip, BundlePoses())
    assert free["lens_source"] in ("estimated", "assumed")
    assert as_camera_path(free).size == (240, 160)
    assert all(np.isfinite(array).all() for name, array in free.items() if name != "lens_source")
    with pytest.raises(InvalidVideo):
        poses.function(clip_of(film(true[:1])[0], tmp_path / "one").under(poses.frames), BundlePoses())


def test_lens_of_a_camera_file() -> None:
    assert lens_of(CameraPath(pan(np.zeros(2))), (320, 180)) is None
    lens = lens_of(CameraPath(pan(np.zeros(2)), np.array([[500.0, 0, 256], [0, 500, 256], [0, 0, 1]])), (256, 256))
    assert lens is not None
    assert (lens.focal, lens.centre) == (250.0, (128.0, 128.0))
