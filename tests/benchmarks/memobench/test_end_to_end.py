"""Gauge blocks in the released layout: run, kill, resume, official files, leaderboard; then two videos are missing."""

from __future__ import annotations

import csv
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import helpers
from benchmarks.memobench.blocks_as_released import write_released
from worldgauge.benchmarks.memobench.data.cases import read_dataset
from worldgauge.benchmarks.memobench.inputs import output_folder
from worldgauge.benchmarks.memobench.official import columns
from worldgauge.blocks.choose import Choice, choose_blocks
from worldgauge.blocks.write import make_cases
from worldgauge.core.video import Video
from worldgauge.media.encoder import write_video

METRICS = [
    *("MotionSmoothness", "ObjIdentityMean", "ObjIdentityMin", "pocket_reappearance"),
    *("GT_ALL_PSNR", "GT_ALL_SSIM", "GT_O_PSNR", "GT_R_PSNR", "TotalGT_RotDeg", "num_frames", "gt_frames", "h_start"),
    *("r_start", "house_reappearance", "house_smoothness"),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six synthetic and four real clips, and a model that adds noise to the truth."""
    root = tmp_path_factory.mktemp("memobench")
    choice = Choice(frames=31, size=(160, 90), paths=["away_left", "away_right", "tilt"])
    blocks = make_cases(root / "blocks", choose_blocks(10, seed=40, choice=choice))
    write_released(root / "data", blocks[:6], blocks[6:])
    rng = np.random.default_rng(0)
    for case in read_dataset(root):
        assert case.reference.video is not None
        truth = np.stack(list(Video(case.path(case.reference.video)).frames()))
        noisy = np.clip(truth + rng.normal(0, 6, truth.shape), 0, 255).astype(np.uint8)
        video = root / "model" / output_folder(case).parent / "video.mp4"
        video.parent.mkdir(parents=True)
        write_video(video, noisy, fps=16)
    return root


def flags(root: Path, out: Path) -> list[str]:
    given = [root / "model", "-b", "memobench", "--data", root, "-o", out, "--store", root / "store", "-w", 1]
    return [str(flag) for flag in (*given, "-m", ",".join(METRICS), "--instruments", "pocket")]


@pytest.mark.slow
def test_run_survives_a_kill_and_makes_the_official_files(root: Path) -> None:
    run = root / "runs" / "first"
    process = subprocess.Popen(
        [sys.executable, "-m", "worldgauge", "run", *flags(root, run)],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 300
    while not helpers.records(run) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.2)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    kept = len(helpers.records(run))
    assert 0 < kept <= 10 * len(METRICS)

    helpers.worldgauge("run", *flags(root, run), check=False)
    records = helpers.records(run)
    assert len(records) == 10 * len(METRICS)
    assert {r["status"] for r in records if r["metric"] == "GT_ALL_PSNR"} == {"ok"}
    by_metric = {m: [r for r in records if r["metric"] == m and r["status"] == "ok"] for m in METRICS}
    assert {m: len(found) for m, found in by_metric.items()} == dict.fromkeys(METRICS, 10)

    helpers.worldgauge("memobench", "files", run, "-o", root / "files", "--unofficial")
    with (root / "files" / "eval" / "model-unofficial" / "eval_both.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 10
    assert list(rows[0]) == [*columns.ALL, "unofficial"]
    assert {row["data_type"] for row in rows} == {"synthetic", "real"}
    # The tracker's stand-in is no official number.
    assert not (root / "files" / "ors").exists()
    with (root / "files" / "leaderboard.csv").open() as stream:
        (row,) = csv.DictReader(stream)
    mean = np.mean([float(r["GT_ALL_PSNR"]) for r in rows])
    assert row["GT_ALL_PSNR"] == f"{mean:.4f}"
    assert row["ORS"] == ""


@pytest.mark.slow
def test_missing_videos_are_counted_and_named(root: Path) -> None:
    cases = read_dataset(root)
    lost = [cases[1], cases[-1]]
    for case in lost:
        shutil.rmtree(root / "model" / output_folder(case).parent)
    done = helpers.worldgauge("run", *flags(root, root / "runs" / "second"), check=False)
    assert "8/10" in done.stdout
    for case in lost:
        assert case.id in done.stdout + done.stderr
