"""Depth Anything 3 in an environment that its own recipe makes: the authors' module, their writer, their numbers.

Slow: it downloads and installs about a gigabyte. Everything is on the CPU. WORLDGAUGE_TEST_ENVIRONMENTS may name a
folder in which `env make depth-anything-3` has been run already.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import helpers
from instruments.neural import rule
from worldgauge.core.environments import find_recipe, place_of
from worldgauge.core.errors import WorldGaugeError
from worldgauge.instruments.authors.depth_anything_3 import DepthAnything3Small
from worldgauge.instruments.authors.depth_anything_3_scene import DepthAnything3Scene
from worldgauge.instruments.authors.home import PARTS
from worldgauge.instruments.isolated import child
from worldgauge.instruments.isolated.process import Child
from worldgauge.media.encoder import write_video

pytestmark = pytest.mark.nightly
TORCH = "torch==2.13.0"
PART = PARTS / "depth_anything_3.py"
REDUCED = Path(__file__).with_name("reduced_depth_anything_3.py")
KNOWN = np.load(Path(__file__).with_name("depth_anything_3.npz"))
"""What the authors' code gave on this network with weights by the rule (2c21ea8, evo stubbed), at stored places."""
LAST_TURN = """
from worldgauge import Measurement, metric
from worldgauge.signals.poses import poses

@metric(unit="", higher_is_better=True, bounds=(-1, 1), needs=[poses()])
def last_turn(case, path):
    return Measurement(float(path["poses"][-1, 0, 2]))
"""
FRAMES = list(helpers.moving_texture(4, 84, 56))


def _is_there() -> str:
    """Why this cannot be tried here; empty where it can."""
    if ".".join(map(str, sys.version_info[:2])) not in find_recipe("depth-anything-3").python:
        return "the recipe does not take this Python"
    words = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps", "--ignore-installed", "--quiet"]
    done = subprocess.run([*words, "--report", "-", TORCH], capture_output=True, text=True)
    if done.returncode:
        return f"pip finds no {TORCH}"
    version = json.loads(done.stdout)["install"][0]["metadata"]["version"]
    return "" if version.endswith("+cpu") else f"pip would take {version}, gigabytes of it for a GPU"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of environments, and in `files` a network of the authors' by their writer."""
    folder = tmp_path_factory.mktemp("environments")
    if there := os.environ.get("WORLDGAUGE_TEST_ENVIRONMENTS"):
        (folder / "depth-anything-3").symlink_to(Path(there) / "depth-anything-3")
    else:
        if reason := _is_there():
            pytest.skip(reason)
        env = {"WORLDGAUGE_ENVIRONMENTS_FOLDER": str(folder)}
        helpers.worldgauge("env", "make", "depth-anything-3", "--with", TORCH, env=env, timeout=1800)
    python = folder / "depth-anything-3" / "bin" / "python"
    words = [python, "-I", REDUCED, Path(rule.__file__), folder / "files"]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, env=os.environ | _named(folder))
    assert done.returncode == 0, done.stderr
    return folder


def _named(folder: Path) -> dict[str, str]:
    return {"REDUCED_PART": str(PART), "REDUCED_LAYOUT": str(folder / "reduced.yaml")}


@pytest.fixture
def there(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORLDGAUGE_ENVIRONMENTS_FOLDER", str(made))
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", f"depth_anything_3_small={made / 'files' / 'small'}")
    for name, value in _named(made).items():
        monkeypatch.setenv(name, value)
    return made


def test_the_recipe_brings_all_that_gaussians_need(there: Path) -> None:
    """e3nn and no evo; only weights are missing."""
    scene = DepthAnything3Scene()
    reason = str(scene.unavailable())
    assert reason.startswith("weights 'depth_anything_3_nested' (6.8 GB) are not on this machine")
    packages = scene.identity()["packages"]
    assert packages["depth-anything-3"] == "0.1.1" and packages["e3nn"]
    assert "e3nn" not in DepthAnything3Small().identity()["packages"]
    assert json.loads((there / "files" / "told.json").read_text())["evo"] is False


def test_a_file_by_the_publishers_writer_is_taken(there: Path, tmp_path: Path) -> None:
    """437 of 443 names, in as many bytes as the published file; through the command line."""
    told = json.loads((there / "files" / "told.json").read_text())["small"]
    assert told == {"names": 443, "tensors": 437, "bytes": 137_248_940}
    (tmp_path / "videos").mkdir()
    write_video(tmp_path / "videos" / "clip.mkv", np.stack(FRAMES), fps=12)
    (tmp_path / "turn.py").write_text(LAST_TURN)
    words = ("run", tmp_path / "videos", "--include", tmp_path / "turn.py", "-m", "last_turn")
    use = ("--use", "poses=depth_anything_3_small", "-w", 1, "-o", tmp_path / "out")
    done = helpers.worldgauge(*words, *use, check=False)
    (record,) = helpers.records(tmp_path / "out")
    assert (done.returncode, record["status"]) == (0, "ok"), record["reason"] or done.stderr


def test_all_names_or_another_configuration(there: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The same numbers from a file that names every shared tensor; a configuration about another network is a remark,
    one value that differs is not."""
    torch = pytest.importorskip("torch")
    from safetensors.torch import load_file, safe_open, save_file

    once = there / "files" / "small" / "model.safetensors"
    state = load_file(once)
    with safe_open(once, "pt") as file:
        aliases = file.metadata()
    wanted = DepthAnything3Small(longest=84).trajectory(FRAMES).poses
    whole = state | {name: state[kept].clone() for name, kept in aliases.items() if kept in state}
    assert len(whole) == 443
    (tmp_path / "config.json").write_text('{"model_name": "da3-large"}')
    place = f"depth_anything_3_small={tmp_path / 'file'}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORLDGAUGE_WEIGHTS", place)
        save_file(whole, tmp_path / "file")
        with caplog.at_level(logging.WARNING):
            assert np.array_equal(DepthAnything3Small(longest=84).trajectory(FRAMES).poses, wanted)
        assert f"{tmp_path / 'file'} fits da3-small, though the config.json next to it names da3-large" in caplog.text
        alias = sorted(set(whole) - set(state))[0]
        save_file(whole | {alias: torch.zeros_like(whole[alias])}, tmp_path / "file")
        os.utime(tmp_path / "file", (1e9, 1e9))
        with pytest.raises(WorldGaugeError, match="two different values for what the network shares: head"):
            DepthAnything3Small(longest=84).trajectory(FRAMES)


def test_gaussians_are_those_of_the_authors(there: Path) -> None:
    """All five arrays, cameras, and depth with its sky, through a child of our own in that environment."""
    place = place_of("depth-anything-3")
    assert place is not None
    started = Child([str(place.python), "-I", str(child.__file__), str(REDUCED)], "depth_anything_3")
    settings = {"weights": "it", "layout": "reduced", "gaussians": True, "dtype": "float32"}
    file = there / "files" / "reduced" / "model.safetensors"
    started.load({"it": str(file)}, settings | {"reference_view": "saddle_balanced"}, "cpu", 300)
    frames = KNOWN["frames"]
    count, total = len(frames), frames[..., 0].size
    shapes: dict[str, tuple[str, tuple[int, ...]]] = {
        "poses": ("<f8", (count, 4, 4)), "intrinsics": ("<f8", (count, 3, 3)), "depth": ("<f8", (count,)),
        "confidence": ("<f8", (count,)), "factor": ("<f8", ()), "means": ("<f4", (total, 3)),
        "quaternions": ("<f4", (total, 4)), "scales": ("<f4", (total, 3)), "opacities": ("<f4", (total,)),
        "harmonics": ("<f4", (total, 9, 3)), "maps": ("<f4", frames.shape[:3]),
    }  # fmt: skip
    found: dict[str, Any] = started.ask({"frames": frames}, {"maps": list(range(count))}, shapes, 300)
    started.stop()
    found["harmonics"] = found["harmonics"].transpose(0, 2, 1)
    found["extrinsics"] = np.linalg.inv(found["poses"])[:, :3]
    names = {
        "means": "gs_means", "scales": "gs_scales", "quaternions": "gs_rotations", "opacities": "gs_opacities",
        "harmonics": "gs_harmonics", "extrinsics": "extrinsics", "intrinsics": "intrinsics", "factor": "scale_factor",
        "maps": "depth",
    }  # fmt: skip
    for ours, theirs in names.items():
        flat, stored = found[ours].reshape(-1), KNOWN[theirs]
        places = np.arange(flat.size) if flat.size <= 200 else rule.positions(flat.size, 200)
        assert flat[places] == pytest.approx(stored, abs=float(KNOWN[f"{theirs}_tolerance"])), theirs
