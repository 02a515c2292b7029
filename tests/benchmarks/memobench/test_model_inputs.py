"""Model inputs: first frame, prompt and camera at the model's own length and size."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from benchmarks.memobench.released_layout import FRAMES, PROMPT, turn, write_dataset, write_frames
from helpers import records, worldgauge_many
from worldgauge.benchmarks.memobench.data.cases import read_dataset
from worldgauge.benchmarks.memobench.data.importer import find_videos
from worldgauge.benchmarks.memobench.inputs import INDEX, write_inputs
from worldgauge.benchmarks.memobench.inputs import app as inputs
from worldgauge.core.cameras import CameraPath


@pytest.fixture
def data(tmp_path: Path) -> Path:
    data = write_dataset(tmp_path)
    poses = data / "Synthetic_processed" / "ZenGarden" / "ZenGarden_010" / "poses.npy"
    np.save(poses, turn(FRAMES))
    return data


def test_inputs_of_a_camera_conditioned_model(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    entries = {e["case"]: e for e in write_inputs(data, out, "ci2v", (64, 48), 5).entries}
    assert len((out / INDEX).read_text().splitlines()) == 6
    entry = entries["Barnyard_001"]
    assert entry["prompt"] == PROMPT
    assert Image.open(out / entry["image"]).size == (64, 48)
    camera = CameraPath.load(out / entry["camera"])
    assert camera.poses == pytest.approx(turn(FRAMES)[[0, 3, 6, 8, 11]])
    assert camera.intrinsics is not None
    # Frames of 32 x 24 with focal lengths 30 and 31 become twice as large.
    assert camera.intrinsics[0].tolist() == [[60, 0, 32], [0, 62, 24], [0, 0, 1]]


def test_image_to_video_models_get_no_camera(data: Path, tmp_path: Path) -> None:
    entries = write_inputs(data, tmp_path / "model", "i2v", (64, 48), 5).entries
    assert not any("camera" in entry for entry in entries)
    assert not list((tmp_path / "model").rglob("camera.npz"))


def test_frames_put_where_the_entry_says_are_found(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    entries = write_inputs(data, out, "i2v", (64, 48), 5).entries
    for entry in entries:
        folder = out / entry["output"]
        folder.mkdir(parents=True)
        for number in range(2):
            Image.new("RGB", (64, 48)).save(folder / f"{number:05d}.png")
    found = find_videos(out, read_dataset(data)).videos
    assert {case: video.path for case, video in found.items()} == {e["case"]: out / e["output"] for e in entries}


def test_a_case_without_camera_is_left_out_and_named(data: Path, tmp_path: Path) -> None:
    (data / "Synthetic_processed" / "ZenGarden" / "ZenGarden_010" / "poses.npy").unlink()
    written = write_inputs(data, tmp_path / "model", "3d", (64, 48), 5)
    assert len(written.entries) == 5
    assert written.left_out.keys() == {"ZenGarden_010"} and "no camera path" in written.left_out["ZenGarden_010"]
    assert not (tmp_path / "model" / "inputs" / "ZenGarden_010").exists(), "read before anything is written"


@pytest.fixture
def partial(data: Path) -> Path:
    """The tables of six clips, and the frames of two."""
    for name in ("Synthetic_processed/Barnyard/Barnyard_002", "Synthetic_processed/ZenGarden", "Real_Raw/001"):
        shutil.rmtree(data / name)
    shutil.rmtree(data / "Real_Raw" / "007")
    return data


def test_inputs_are_written_as_far_as_frames_are_on_disk(partial: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    done = CliRunner().invoke(inputs, ["--data", str(partial), "-o", str(out)])
    assert done.exit_code == 0
    listed = [json.loads(line) for line in (out / INDEX).read_text().splitlines()]
    assert [entry["case"] for entry in listed] == ["Barnyard_001", "real_002"]
    rest = [json.loads(line) for line in (out / "left_out.jsonl").read_text().splitlines()]
    assert [row["case"] for row in rest] == ["Barnyard_002", "ZenGarden_010", "real_001", "real_007"]
    assert "4 cases are left out (Barnyard_002, ZenGarden_010, real_001, ...): the clip's frames are" in done.output
    assert "2 cases for i2v models" in done.output


def test_inputs_of_chosen_cases(partial: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    flags = ["--data", str(partial), "-o", str(out)]
    assert CliRunner().invoke(inputs, [*flags, "--where", "data_type=synthetic"]).exit_code == 0
    assert len((out / INDEX).read_text().splitlines()) == 1
    assert CliRunner().invoke(inputs, [*flags, "--case", "real_002"]).exit_code == 0
    assert json.loads((out / INDEX).read_text())["case"] == "real_002" and not (out / "left_out.jsonl").exists()
    for chosen, reason in (("real_007", "no case can be written: real_007: the clip's frames"), ("real_7", "unknown")):
        assert reason in str(CliRunner().invoke(inputs, [*flags, "--case", chosen]).exception)


def test_coverage_of_partial_data_is_of_all_clips(partial: Path, tmp_path: Path) -> None:
    """A clip whose frames, camera or keyframes are not on disk is expected all the same."""
    for name in ("Synthetic/Barnyard/Barnyard_001", "Real/002", "Real/007"):
        noise = np.random.default_rng(0).integers(0, 256, (FRAMES, 24, 32, 3), np.uint8)
        write_frames(tmp_path / "model" / name / "frames", noise)
    (partial / "Real_Raw" / "Real_ExitReenter.xlsx").unlink()
    flags = ("-b", "memobench", "--data", partial, "--instruments", "pocket", "--store", tmp_path / "store")
    run = ("run", tmp_path / "model", *flags, "-m", "GT_ALL_PSNR", "-o", tmp_path / "run", "--workers", 1)
    _, report = worldgauge_many(run, ("report", tmp_path / "run", "--json"))
    found = {row["case"]: (row["status"], row.get("code"), row.get("reason", "")) for row in records(tmp_path / "run")}
    assert found["Barnyard_001"][0] == "ok"
    assert found["real_002"] == ("unscored", "not-on-disk", "needs phases: not on disk; complete the data set")
    assert found["real_007"][2].startswith("needs a reference video: not on disk")
    assert found["ZenGarden_010"][0] == found["real_001"][0] == "missing"
    assert found["Barnyard_002"][0] == "skipped", "the sheet says that it has no keyframes"
    scores = json.loads(report)["models"][0]["scores"]
    assert (scores["GT_ALL_PSNR"]["scored"], scores["GT_ALL_PSNR"]["expected"]) == (1, 5)
