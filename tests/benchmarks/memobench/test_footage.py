"""Own footage: what is written in the official layout is what the reader of the data set takes in."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

import helpers
from benchmarks.memobench.released_layout import write_csv, write_frames
from worldgauge.benchmarks.memobench.data.cases import read_dataset
from worldgauge.benchmarks.memobench.footage.cameras import Estimator, read_path
from worldgauge.benchmarks.memobench.footage.sheet import parse_box, read_shots
from worldgauge.benchmarks.memobench.footage.write import Choices, write_footage
from worldgauge.benchmarks.memobench.formulas.keyframes import find_keyframes
from worldgauge.benchmarks.memobench.formulas.pose_smoothing import smooth_poses
from worldgauge.core.case import Phases
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.video import Video
from worldgauge.engine.definitions import choose_seats
from worldgauge.engine.perception import Loaded
from worldgauge.engine.store import Store
from worldgauge.functional.camera_conventions import from_opencv
from worldgauge.functional.pose import geodesic_deg

SIZE = (96, 64)
LENS = np.array([[100.0, 0, 48], [0, 100.0, 32], [0, 0, 1]])
TURNS = np.concatenate([np.zeros(4), np.linspace(0, 50, 13), np.linspace(50, 0, 13)[1:], np.zeros(4)])
"""Degrees of a pan to the right and back; the frame is 51 degrees wide."""


def pan(degrees: np.ndarray = TURNS) -> np.ndarray:
    turn = np.radians(degrees)
    poses = np.tile(np.eye(4), (len(turn), 1, 1))
    poses[:, 0, 0] = poses[:, 2, 2] = np.cos(turn)
    poses[:, 0, 2], poses[:, 2, 0] = np.sin(turn), -np.sin(turn)
    return poses


def frames_of(poses: np.ndarray) -> np.ndarray:
    """What a camera that turns in place sees of a far wall with a random texture."""
    rng = np.random.default_rng(5)
    wall = cv2.GaussianBlur(rng.integers(0, 256, (120, 420, 3), np.uint8), (0, 0), 1.5)
    wall = cv2.normalize(wall, None, 0, 255, cv2.NORM_MINMAX)
    to_wall = np.array([[100.0, 0, 120], [0, 100.0, 60], [0, 0, 1]])
    turns = [to_wall @ pose[:3, :3] @ np.linalg.inv(LENS) for pose in poses]
    return np.stack([cv2.warpPerspective(wall, turn, SIZE, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
                                         borderMode=cv2.BORDER_REFLECT) for turn in turns])  # fmt: skip


@pytest.fixture
def estimator(tmp_path: Path) -> Estimator:
    seats = choose_seats("pocket")
    return Estimator(seats, Loaded(seats, "cpu"), Store(tmp_path / "store"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    write_frames(folder / "cup", frames_of(pan()))
    np.savez(folder / "cup.npz", poses=pan(), intrinsics=LENS, size=SIZE)
    return folder


def test_a_smoothed_path_keeps_even_turns_and_loses_noise() -> None:
    turns = np.linspace(0, 60, 201)
    even = pan(turns)
    np.testing.assert_allclose(smooth_poses(even, 3.0), even, atol=1e-9)
    shaken = pan(turns + np.random.default_rng(0).normal(0, 1.0, 201))
    smooth = smooth_poses(shaken, 3.0)
    left, had = (geodesic_deg(path[12:-12, :3, :3], even[12:-12, :3, :3]) for path in (smooth, shaken))
    # A Gaussian window keeps 1 / (2 sqrt(pi) sigma) of the variance of white noise.
    assert np.mean(left**2) / np.mean(had**2) == pytest.approx(1 / (2 * np.sqrt(np.pi) * 3.0), rel=0.5)
    np.testing.assert_array_equal(smooth_poses(shaken, 0.0), shaken)
    np.testing.assert_allclose(np.linalg.det(smooth[:, :3, :3]), 1.0)


def test_keyframes_follow_from_the_turn_and_the_lens() -> None:
    box = (0.4, 0.4, 0.6, 0.6)
    found = find_keyframes(pan()[:, :3, :3], LENS, SIZE, box)
    # The right rim of the box lies at atan(9.6 / 100) and leaves over the left rim of the frame at atan(48 / 100).
    leaves = np.degrees(np.arctan(0.48) + np.arctan(0.096))
    returns = np.degrees(np.arctan(0.48) - np.arctan(0.096))
    gone = int(np.argmax(leaves < TURNS))
    back = gone + int(np.argmax(TURNS[gone:] <= returns))
    assert found == Phases(gone=gone, back=back)
    assert find_keyframes(pan(TURNS / 4)[:, :3, :3], LENS, SIZE, box) is None
    assert find_keyframes(pan(TURNS[:17])[:, :3, :3], LENS, SIZE, box) is None


def test_what_is_written_is_read_again(folder: Path, tmp_path: Path, estimator: Estimator) -> None:
    header = ["video", "prompt", "subject", "exit", "reenter", "category", "process"]
    prompt = "A view of a cup. The camera smoothly pans to the right."
    said = ["cup", prompt, "a cup", 14, 22, "Viscous Flow", "Pouring"]
    write_csv(folder / "footage.csv", [header, said])
    out = tmp_path / "data"
    (entry,) = write_footage(read_shots(folder), out, Choices(smoothing=1.5), estimator)
    (case,) = read_dataset(out)
    assert case.id == "real_1001"
    assert case.condition.prompt == prompt
    assert case.reference.target is not None and case.reference.target.name == "a cup"
    assert case.reference.phases == Phases(gone=14, back=22)
    assert case.tags["motion"] == "pan right"
    assert (case.tags["category"], case.tags["process"]) == ("Viscous Flow", "Pouring")
    camera = case.camera("reference")
    np.testing.assert_allclose(camera.poses, smooth_poses(pan(), 1.5), atol=1e-9)
    assert camera.intrinsics is not None
    np.testing.assert_allclose(camera.intrinsics[0], LENS)
    assert case.condition.image is not None and case.path(case.condition.image).is_file()
    assert Video(case.path(case.reference.video or "")).info.frames == len(TURNS)
    assert (entry["keyframes"], entry["poses"]) == ("given", f"{folder / 'cup.npz'} (opencv)")
    kept = np.load(out / "Real_Raw" / "1001" / "unsmoothed" / "1001_mapanything.npz")["cam_c2w"]
    np.testing.assert_array_equal(kept, pan())


def test_a_camera_file_may_be_in_any_convention(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", from_opencv(pan(), "blender"))
    np.testing.assert_allclose(read_path(tmp_path / "a.npy", "blender").poses, pan(), atol=1e-12)
    # The name is also that of a released file; a stated convention is not overruled by it.
    np.save(tmp_path / "poses.npy", from_opencv(pan(), "blender"))
    np.testing.assert_allclose(read_path(tmp_path / "poses.npy", "blender").poses, pan(), atol=1e-12)


@pytest.mark.nightly
def test_poses_and_keyframes_are_found_where_none_are_given(folder: Path, tmp_path: Path, estimator: Estimator) -> None:
    (folder / "cup.npz").unlink()
    (entry,) = write_footage(read_shots(folder), tmp_path / "data", Choices(), estimator)
    true = find_keyframes(pan()[:, :3, :3], LENS, SIZE, Choices().box)
    assert true is not None
    assert entry["poses"].startswith("estimated by")
    assert abs(entry["exit"] - true.gone) <= 2 and abs(entry["reenter"] - true.back) <= 2
    (case,) = read_dataset(tmp_path / "data")
    off = geodesic_deg(case.camera("reference").rotation, pan()[:, :3, :3])
    assert off.max() < 8.0


def test_what_is_missing_is_one_line_and_nothing_is_written(folder: Path, tmp_path: Path, estimator: Estimator) -> None:
    out = tmp_path / "data"
    np.savez(folder / "cup.npz", poses=pan()[:5])
    with pytest.raises(WorldGaugeError, match=f"5 poses for {len(TURNS)} frames"):
        write_footage(read_shots(folder), out, Choices(), estimator)
    np.savez(folder / "cup.npz", poses=pan())
    with pytest.raises(WorldGaugeError, match="without intrinsics"):
        write_footage(read_shots(folder), out, Choices(), estimator)
    with pytest.raises(WorldGaugeError, match="does not lose the target"):
        write_footage(read_shots(folder), out, Choices(view=120.0), estimator)
    assert not out.exists()
    write_footage(read_shots(folder), out, Choices(view=51.3), estimator)
    with pytest.raises(WorldGaugeError, match="exists already"):
        write_footage(read_shots(folder), out, Choices(view=51.3), estimator)
    write_csv(folder / "footage.csv", [["video", "exit", "reenter"], ["cup", 9, 3]])
    with pytest.raises(WorldGaugeError, match="not two frame numbers in order"):
        read_shots(folder)
    write_csv(folder / "footage.csv", [["video"], ["mug"]])
    with pytest.raises(WorldGaugeError, match="there is no video 'mug'"):
        read_shots(folder)
    with pytest.raises(WorldGaugeError, match="not X0,Y0,X1,Y1"):
        parse_box("1,2,3")


def test_the_verb_says_what_it_made(folder: Path, tmp_path: Path) -> None:
    done = helpers.worldgauge("memobench", "footage", folder, "-o", tmp_path / "data", "--store", tmp_path / "store")
    assert "1001  cup: gone from" in done.stdout
    assert "1 clips in" in done.stdout
