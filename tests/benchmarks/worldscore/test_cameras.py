"""`camera_data.json` and the camera paths of layouts, by the commands."""

import json
from pathlib import Path

import numpy as np

import helpers
from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import layout_path
from worldgauge.benchmarks.worldscore.inputs.cameras import camera_data
from worldgauge.media.camera_files import read_matrices


def test_camera_data_json(tmp_path: Path) -> None:
    (tmp_path / "camera_data.json").write_text(json.dumps(camera_data(["push_in"], 7)))
    flags = ["--from", "worldscore", "--to", "opencv", "-o", "p.npz"]
    done = helpers.worldgauge("cameras", "convert", tmp_path / "camera_data.json", *flags)
    assert done.stdout.startswith("7 cameras")
    assert np.abs(read_matrices(Path("p.npz")) - layout_path(["push_in"], 7).poses).max() < 1e-9


def test_path_of_layouts() -> None:
    helpers.worldgauge("worldscore", "cameras", "orbit_left,pull_out", "-n", 8, "--to", "colmap", "-o", "images.txt")
    helpers.worldgauge("cameras", "convert", "images.txt", "--from", "colmap", "--to", "opencv", "-o", "a.npy")
    assert np.abs(read_matrices(Path("a.npy")) - layout_path(["orbit_left", "pull_out"], 8).poses).max() < 1e-9
