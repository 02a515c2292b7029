"""Model inputs: first frame, prompt and camera at the model's own length and size."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from benchmarks.memobench.released_layout import FRAMES, PROMPT, turn, write_dataset
from worldgauge.benchmarks.memobench.data.cases import read_dataset
from worldgauge.benchmarks.memobench.data.importer import find_videos
from worldgauge.benchmarks.memobench.inputs import INDEX, write_inputs
from worldgauge.core.cameras import CameraPath
from worldgauge.core.errors import WorldGaugeError


@pytest.fixture
def data(tmp_path: Path) -> Path:
    data = write_dataset(tmp_path)
    poses = data / "Synthetic_processed" / "ZenGarden" / "ZenGarden_010" / "poses.npy"
    np.save(poses, turn(FRAMES))
    return data


def test_inputs_of_a_camera_conditioned_model(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    entries = {e["case"]: e for e in write_inputs(data, out, "ci2v", (64, 48), 5)}
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
    entries = write_inputs(data, tmp_path / "model", "i2v", (64, 48), 5)
    assert not any("camera" in entry for entry in entries)
    assert not list((tmp_path / "model").rglob("camera.npz"))


def test_frames_put_where_the_entry_says_are_found(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    entries = write_inputs(data, out, "i2v", (64, 48), 5)
    for entry in entries:
        folder = out / entry["output"]
        folder.mkdir(parents=True)
        for number in range(2):
            Image.new("RGB", (64, 48)).save(folder / f"{number:05d}.png")
    found = find_videos(out, read_dataset(data)).videos
    assert {case: video.path for case, video in found.items()} == {e["case"]: out / e["output"] for e in entries}


def test_a_case_without_camera_is_named(data: Path, tmp_path: Path) -> None:
    (data / "Synthetic_processed" / "ZenGarden" / "ZenGarden_010" / "poses.npy").unlink()
    with pytest.raises(WorldGaugeError, match="ZenGarden_010 has no camera"):
        write_inputs(data, tmp_path / "model", "3d", (64, 48), 5)
