"""Analyses over records: numbers that can be computed by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.memobench.released_layout import run_noise
from worldgauge.benchmarks.memobench.analyses.paper_tables import (
    _camera_row,
    camera_validation,
    motion_gated,
    phase_drop,
    stratified,
)
from worldgauge.benchmarks.memobench.analyses.run_scores import LEADERBOARD, scores
from worldgauge.benchmarks.memobench.analyses.sensitivity import SWEEPS, sweep
from worldgauge.benchmarks.memobench.analyses.trajectories import trajectory_statistics
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run

METRICS = "MotionSmoothness,ObjIdentityMean,ObjIdentityMin,GT_ALL_PSNR,GT_ALL_SSIM,GT_O_PSNR,GT_R_PSNR,TotalGT_RotDeg"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_noise(tmp_path_factory.mktemp("analysis"), (31, 36, 48), METRICS)


@pytest.fixture(scope="module")
def run(root: Path) -> Run:
    return Run(root / "run")


def test_phase_drop_is_the_difference_of_means(run: Run) -> None:
    (row,) = phase_drop([run])
    values = scores(run).values()
    visible, back = (np.mean([v[f"GT_{p}_PSNR"] for v in values]) for p in "OR")
    assert row["PSNR n"] == 4
    assert row["PSNR drop"] == pytest.approx(visible - back)
    assert row["LPIPS drop"] is None


def test_motion_gate_takes_clips_by_their_camera(run: Run) -> None:
    values = scores(run)
    all_turning, none = motion_gated([run], thresholds=[39.0, 90.0])
    # Three of the five clips with a camera have a video; the fifth case has neither keyframes nor a video.
    assert all_turning["GT_ALL_PSNR"] == pytest.approx(
        np.mean([values[c]["GT_ALL_PSNR"] for c in ("Barnyard_001", "real_001", "real_007")])
    )
    assert none["GT_ALL_PSNR"] is None
    (wide,) = motion_gated([run], [39.0], columns=LEADERBOARD)
    assert list(wide)[3:] == list(LEADERBOARD)


def test_composites_weigh_mean_and_minimum(run: Run) -> None:
    for of_case in scores(run).values():
        expected = 0.7 * of_case["ObjIdentityMean"] + 0.3 * of_case["ObjIdentityMin"]
        assert of_case["ObjIdentityConsistency"] == pytest.approx(expected)


def test_strata_by_angle(run: Run) -> None:
    rows = {row["stratum"]: row for row in stratified([run], "GT_ALL_PSNR") if row["by"] == "reappearance angle"}
    assert (rows["up to 60 deg"]["n"], rows["over 120 deg"]["n"]) == (3, 0)


def test_camera_validation_without_poses_says_so(run: Run) -> None:
    (row,) = camera_validation([run])
    assert row["n"] == 0
    assert row["error mean"] is None
    assert [each["model"] for each in camera_validation([run, run])][-1] == "all models"


def test_pooled_cameras_correlate_over_all_models() -> None:
    error, control = np.array([1.0, 2.0, 3.0]), np.array([0.9, 0.8, 0.1])
    row = _camera_row("all models", error, control, np.array([10.0, 20.0, np.nan]), np.array([10.0, 20.5, 30.0]))
    assert row["rank correlation"] == pytest.approx(-1.0)
    assert row["Pearson of rotations"] == pytest.approx(1.0)
    assert row["largest rotation mismatch"] == pytest.approx(0.5)


def test_sweep_reuses_stored_signals_and_correlates(run: Run, root: Path) -> None:
    rows = sweep([run], root / "store", SWEEPS["top-share"])
    means = [row["mean"] for row in rows]
    assert means == sorted(means, reverse=True), "a larger share takes in worse patches"
    default = next(row for row in rows if row["default"])
    assert default["tau"] == pytest.approx(1.0)
    assert default["mean"] == pytest.approx(np.mean([v["ObjIdentityMean"] for v in scores(run).values()]) / 100)


def test_sweep_without_the_store_says_what_to_do(run: Run, tmp_path: Path) -> None:
    with pytest.raises(WorldGaugeError, match="--store"):
        sweep([run], tmp_path / "empty", SWEEPS["top-share"])


def test_trajectory_statistics_of_any_cases(root: Path) -> None:
    from worldgauge.benchmarks.memobench.data.cases import read_dataset

    rows = {row.kind: row for row in trajectory_statistics(read_dataset(root))}
    assert rows["real pan left"].clips == 1
    assert rows["real pan left"].path_rotation == pytest.approx(40)
    assert rows["real pan right"].gap == 6
    assert trajectory_statistics([Case(id="bare")])[0].net_rotation is None
