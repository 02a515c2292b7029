"""Poses and depth from result files, on a gauge block whose camera turns away and back."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import cv2
import numpy as np
import pytest

from benchmarks.mbench.made_run import lines
from benchmarks.mbench.released_tree import add_sample, write_rows
from worldgauge.api.building import build_job
from worldgauge.benchmarks.mbench.data.stored_cameras import StoredPoses, read_results
from worldgauge.benchmarks.mbench.formulas.action import TWISTS, twists
from worldgauge.blocks import Block
from worldgauge.blocks.render import painter
from worldgauge.core.errors import Unscored, WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.core.video import Video
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute
from worldgauge.functional.masks import box_of
from worldgauge.functional.pose import invert
from worldgauge.media.encoder import write_video

COLUMNS = "a_trigger,a_geometry,a_epipolar_turning,a_reprojection_turning,a_action,a_trigger_geometric"


def standing_still(block):
    """The block's first moment, seen along its camera path: camera, pictures, depth, the target alone."""
    world = block.world()
    line = world.timeline
    held = {name: np.repeat(getattr(line, name)[:1], len(line), axis=0) for name in ("position", "linear")}
    timeline = replace(line, **held)
    with painter(world.scene, block.size) as draw:
        pictures = np.stack([draw.picture(timeline, k) for k in range(len(line))])
        depths, _, targets = zip(*(draw.shapes(timeline, k) for k in range(len(line))), strict=True)
    return line.camera, pictures, np.stack(depths), np.stack(targets)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """One clip as an object and as an environment sample, with its exact cameras and depth in both conventions."""
    folder = tmp_path_factory.mktemp("stored")
    camera, pictures, depths, targets = standing_still(Block(3, "room", "away_left", "rolling", (128, 72), 13))
    data = folder / "MBench-A"
    data.mkdir()
    (data / "dataset.yaml").write_text("dataset_id: mbencha\n")
    x0, y0, x1, y1 = box_of(targets[0])
    anchor = {"center_x": (x0 + x1) / 2, "center_y": (y0 + y1) / 2, "width": x1 - x0, "height": y1 - y0, "source": "t"}
    rows = []
    for subset in ("object", "environment"):
        add_sample(data, subset, "one", metadata={"object_anchor": anchor} if subset == "object" else {})
        rows.append({"item_id": f"{subset}:one:left_then_right"})
        place = folder / "model" / "outputs" / subset / "one" / "left_then_right"
        place.mkdir(parents=True)
        write_video(place / "video.mp4", pictures, fps=len(pictures) / 25)
        for convention in ("camera_to_world", "world_to_camera"):
            matrices = camera.poses if convention == "camera_to_world" else invert(camera.poses)
            file = folder / convention / subset / "one" / "left_then_right" / "da3" / "results.npz"
            file.parent.mkdir(parents=True)
            depth = np.where(np.isfinite(depths), depths, 0)
            np.savez(file, depth=depth, extrinsics=matrices[:, :3], intrinsics=camera.intrinsics)
    write_rows(data / "mapping.jsonl", rows)
    return folder


def records(world, convention):
    settings = f"folder={world / convention},convention={convention}"
    out = world / f"run-{convention}"
    job = build_job(
        world / "model", benchmark="mbench", data=world / "MBench-A", metrics=COLUMNS, store=world / "store", out=out,
        instruments="pocket", use=[f"poses=mbench_stored_poses:{settings}", f"depth=mbench_stored_depth:{settings}"],
    )  # fmt: skip
    execute(job, make_plan(job))
    return {key: line for key, line in lines(Run(out)).items() if line["status"] != "skipped"}


def test_both_conventions_give_equal_scores(world):
    one, other = (records(world, convention) for convention in ("camera_to_world", "world_to_camera"))
    assert {line["status"] for line in one.values()} == {"ok"}, {k: v["reason"] for k, v in one.items()}
    assert len({metric for metric, _ in one}) == 6
    for key, line in one.items():
        assert other[key]["raw"] == pytest.approx(line["raw"], abs=1e-6), key
    found = {metric: line["raw"] for (metric, case), line in one.items()}
    assert found["a_action"] > 0.4
    assert found["a_trigger_geometric"] == 1.0
    assert found["a_geometry"] > 0.8
    assert found["a_epipolar_turning"] > 0.3
    (geometry,) = [line for (metric, _), line in one.items() if metric == "a_geometry"]
    assert "by rule fold, turnaround" in geometry["reason"]


def test_in_a_left_pan_the_pixels_move_right(world):
    """The sign of `left` by a rendered clip: what the poses call left, the pictures answer by moving right."""
    place = "object/one/left_then_right"
    frames = [np.asarray(frame) for frame in Video(world / "model" / "outputs" / place / "video.mp4").frames()]
    poses = read_results(world / "camera_to_world" / place / "da3" / "results.npz", "camera_to_world").poses
    left = twists(poses) @ np.array(TWISTS["left"])
    grey = [cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY).astype(np.float64) for frame in frames]
    window = cv2.createHanningWindow(grey[0].shape[::-1], cv2.CV_64F)
    shifts = np.array([cv2.phaseCorrelate(a, b, window)[0][0] for a, b in pairwise(grey)])
    # A step of half a view and more leaves too little in common to be measured by pixels.
    slow = (np.abs(left) > 0.02) & (np.abs(left) < 0.25)
    assert (left[slow] > 0).any() and (left[slow] < 0).any()
    assert np.sign(shifts[slow]).tolist() == np.sign(left[slow]).tolist()


def test_the_convention_is_declared_never_guessed(world):
    folder = str(world / "camera_to_world")
    assert "convention" in StoredPoses(folder=folder).unavailable()
    assert "where the stored poses are" in StoredPoses().unavailable()
    assert StoredPoses(folder=folder, convention="camera_to_world").unavailable() is None
    file = world / "camera_to_world" / "object" / "one" / "left_then_right" / "da3" / "results.npz"
    with pytest.raises(WorldGaugeError, match="declare one of camera_to_world or world_to_camera"):
        read_results(file, "opencv")
    wrong = read_results(file, "world_to_camera").poses
    assert not np.allclose(wrong, read_results(file, "camera_to_world").poses)


def test_files_that_say_nothing_are_one_line(tmp_path):
    np.savez(tmp_path / "empty.npz", other=np.zeros(3))
    with pytest.raises(WorldGaugeError, match="no extrinsics"):
        read_results(tmp_path / "empty.npz", "camera_to_world")
    np.savez(tmp_path / "bad.npz", extrinsics=np.zeros((2, 3)), intrinsics=np.eye(3))
    with pytest.raises(WorldGaugeError, match="expected"):
        read_results(tmp_path / "bad.npz", "camera_to_world")
    frames = [np.zeros((4, 4, 3), np.uint8)] * 2
    with pytest.raises(Unscored, match="not a file"):
        StoredPoses(folder=str(tmp_path), convention="camera_to_world").trajectory(frames)
