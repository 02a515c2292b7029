"""`worldgauge cameras` and `worldgauge inputs` as a user calls them."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from worldgauge.blocks.paths import layout_poses
from worldgauge.cli.cameras import app
from worldgauge.core.cameras import CameraPath
from worldgauge.core.errors import WorldGaugeError
from worldgauge.functional.camera_conventions import CONVENTIONS, conventions
from worldgauge.media.camera_files import read_matrices
from worldgauge.verbs import parse_size


def call(*arguments: object) -> str:
    done = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def save_path(file: Path, *layouts: str, frames: int = 8) -> np.ndarray:
    """A camera path over the layouts, `frames` each, in our own convention."""
    poses = layout_poses(layouts, len(layouts) * (frames - 1) + 1, 1.0)
    CameraPath(poses).save(file)
    return poses


@pytest.mark.parametrize("suffix", ["npz", "npy", "json"])
@pytest.mark.parametrize("name", CONVENTIONS)
def test_there_and_back(tmp_path: Path, name: str, suffix: str) -> None:
    start, other, back = tmp_path / "a.npz", tmp_path / f"b.{suffix}", tmp_path / "c.npz"
    poses = save_path(start, "orbit_left", "pull_out")
    call("convert", start, "--from", "opencv", "--to", name, "-o", other)
    call("convert", other, "--from", name, "--to", "opencv", "-o", back)
    assert np.abs(read_matrices(back) - poses).max() < 1e-9


def test_colmap_text(tmp_path: Path) -> None:
    poses = save_path(tmp_path / "start.npz", "pan_right", frames=5)
    call("convert", tmp_path / "start.npz", "--from", "opencv", "--to", "colmap", "-o", tmp_path / "images.txt")
    call("convert", tmp_path / "images.txt", "--from", "colmap", "--to", "opencv", "-o", tmp_path / "a.npy")
    assert np.abs(read_matrices(tmp_path / "a.npy") - poses).max() < 1e-9


@pytest.mark.parametrize("layouts", ["orbit_left,pull_out", "pan_left"])
def test_plot(tmp_path: Path, layouts: str) -> None:
    from xml.etree import ElementTree

    save_path(Path("a.npz"), *layouts.split(","))
    call("plot", "a.npz", "-o", "a.svg")
    drawing = ElementTree.parse("a.svg").getroot()
    lines = drawing.findall(".//{http://www.w3.org/2000/svg}polyline")
    assert len(lines) == 2
    assert len(lines[0].attrib["points"].split()) == (15 if "," in layouts else 8)
    assert "nan" not in Path("a.svg").read_text()


def test_list() -> None:
    assert {line.split()[0] for line in call("list").splitlines()} == set(conventions())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["convert", "none.npz", "--from", "opencv", "--to", "ue", "-o", "b.npz"], "does not exist"),
        (["convert", "a.json", "--from", "opencv", "--to", "ue", "-o", "b.txt"], "images.txt"),
        (["plot", "a.json", "-o", "a.png"], "SVG"),
        (["convert", "a.json", "--from", "opencv", "--to", "ue", "-o", "b.npz"], "holds an array of shape"),
    ],
)
def test_problems(arguments: list[str], message: str) -> None:
    Path("a.json").write_text("[[1, 2], [3, 4]]")
    with pytest.raises(WorldGaugeError, match=message):
        call(*arguments)


@pytest.mark.parametrize("text", ["720", "0x5", "ax5", "720x"])
def test_wrong_size(text: str) -> None:
    with pytest.raises(WorldGaugeError, match="is not WxH"):
        parse_size(text)
