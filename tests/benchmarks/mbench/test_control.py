"""The columns of control under noise of the poses: frozen, obedient, aimless and mirrored cameras."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import helpers
from benchmarks.mbench.made_run import lines
from benchmarks.mbench.released_tree import add_sample, write_rows
from benchmarks.mbench.test_formulas import yaw
from worldgauge.api.building import build_job
from worldgauge.benchmarks.mbench.metrics.causes import action_followed, executed_share
from worldgauge.core.case import Case, Condition
from worldgauge.core.run_folder import Run
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute
from worldgauge.media.encoder import write_video

COLUMNS = ("a_action_turning", "a_executed")


def pan(frames, degrees):
    """Left by so many degrees and back."""
    return yaw(-degrees * (1 - np.abs(np.linspace(-1, 1, frames))))


def jittered(poses, rng, turn, step):
    """Every pose off by itself, by so many radians and scene depths."""
    noisy = poses.copy()
    noisy[:, :3, :3] = poses[:, :3, :3] @ Rotation.from_rotvec(rng.normal(0, turn, (len(poses), 3))).as_matrix()
    noisy[:, :3, 3] += rng.normal(0, step, (len(poses), 3))
    return noisy


def aimless(frames, rng, turn=0.01, step=0.01):
    """Every step a turn and a move of its own."""
    poses = np.tile(np.eye(4), (frames, 1, 1))
    for k, turned in enumerate(Rotation.from_rotvec(rng.normal(0, turn, (frames - 1, 3))).as_matrix(), 1):
        poses[k, :3, :3] = poses[k - 1, :3, :3] @ turned
    poses[1:, :3, 3] = np.cumsum(rng.normal(0, step, (frames - 1, 3)), axis=0)
    return poses


def paths(frames, rng, degrees=32.0):
    return {
        "frozen": jittered(pan(frames, 0.0), rng, 1e-3, 2e-3),
        "perfect": jittered(pan(frames, degrees), rng, 0.0, 5e-3),
        "aimless": aimless(frames, rng),
        "mirrored": jittered(pan(frames, -degrees), rng, 1e-3, 2e-3),
    }


def holds(name, score):
    return {"frozen": score <= 2, "perfect": score >= 95, "aimless": score <= 15, "mirrored": score == 0}[name]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Four clips of 401 frames, whose poses are stored."""
    folder = tmp_path_factory.mktemp("control")
    data, rng, rows = folder / "MBench-A", np.random.default_rng(0), []
    data.mkdir()
    (data / "dataset.yaml").write_text("dataset_id: mbencha\n")
    for name, poses in paths(401, rng).items():
        add_sample(data, "environment", name)
        condition = "left_then_right_25s"
        rows.append({"item_id": f"environment:{name}:{condition}"})
        place = folder / "model" / "outputs" / "environment" / name / condition
        place.mkdir(parents=True)
        write_video(place / "video.mp4", helpers.moving_texture(401, 32, 32, seed=len(rows)), fps=16)
        file = folder / "artifacts" / "environment" / name / condition / "da3" / "results.npz"
        file.parent.mkdir(parents=True)
        lens = np.array([[30.0, 0, 16], [0, 30, 16], [0, 0, 1]])
        np.savez(file, extrinsics=poses[:, :3], intrinsics=np.tile(lens, (401, 1, 1)))
    write_rows(data / "mapping.jsonl", rows)
    stored = f"poses=mbench_stored_poses:folder={folder / 'artifacts'},convention=camera_to_world"
    job = build_job(
        folder / "model", benchmark="mbench", data=data, metrics=("a_action", *COLUMNS), store=folder / "store",
        out=folder / "run", instruments="pocket", use=[stored],
    )  # fmt: skip
    execute(job, make_plan(job))
    return {(metric, case.split("/")[1]): line for (metric, case), line in lines(Run(folder / "run")).items()}


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("name", ["frozen", "perfect", "aimless", "mirrored"])
def test_noise_of_the_poses_is_no_motion(run, column, name):
    assert holds(name, run[column, name]["value"]), run[column, name]


def test_the_literal_column_keeps_its_flaw(run):
    """Eq. 17 has no threshold: noise alone gets half, and a perfect slow pan loses."""
    assert run["a_action", "frozen"]["value"] == pytest.approx(50, abs=5)
    assert run["a_action", "perfect"]["value"] < 80


@pytest.mark.parametrize(("frames", "fps", "degrees"), [(161, 16, 32), (750, 30, 60), (81, 16, 10), (25, 8, 90)])
@pytest.mark.parametrize("metric", [action_followed, executed_share])
def test_at_other_lengths_rates_and_angles(metric, frames, fps, degrees):
    legs = [["left", 0.5], ["right", 0.5]]
    case = Case(id="a", condition=Condition(frames=frames, fps=fps), extras={"legs": legs})
    for seed in range(5):
        made = paths(frames, np.random.default_rng(seed), degrees)
        for name, poses in made.items():
            found = metric.function(case, {"poses": poses})
            assert holds(name, 100 * found.value), (seed, name, found.reason)


def test_half_of_the_script_is_half_of_the_score():
    case = Case(id="a", extras={"legs": [["left", 0.5], ["right", 0.5]]})
    poses = yaw(-np.minimum(np.arange(401) * 0.2, 40.0))
    assert action_followed.function(case, {"poses": poses}).value == pytest.approx(0.5, abs=0.01)
    found = executed_share.function(case, {"poses": poses})
    assert found.value == pytest.approx(0.5, abs=0.01)
    assert "stops 0.50 of it early" in found.reason


def test_a_walk_that_keeps_its_direction():
    """Steps that keep their direction for half a second look like a purpose now and then."""
    case, high = Case(id="a", extras={"legs": [["left", 0.5], ["right", 0.5]]}), 0
    rng = np.random.default_rng(1)
    for _ in range(200):
        turns = np.convolve(rng.normal(0, 0.01, 400), np.ones(8) / 8, "same")
        poses = yaw(np.degrees(np.concatenate([[0.0], np.cumsum(turns)])))
        high += action_followed.function(case, {"poses": poses}).value > 0.15
    assert 0 <= high <= 5
