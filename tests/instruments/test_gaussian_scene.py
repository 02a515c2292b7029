"""Scenes out of files and out of a network's answer: what is read, what is left out, and one line for what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from worldgauge.core.errors import Unscored, WorldGaugeError
from worldgauge.functional.gaussians import Gaussians
from worldgauge.functional.scenes import SceneCameras
from worldgauge.instruments.authors.depth_anything_3_scene import DepthAnything3Scene
from worldgauge.instruments.gaussian_scene import GaussianScene, chosen
from worldgauge.instruments.stored_scenes import StoredScenes, read_ply, read_scene

COUNT = 5
CAMERAS = SceneCameras(np.tile(np.eye(4), (2, 1, 1)), np.tile(np.diag([10.0, 10, 1]), (2, 1, 1)), (20, 20))
FRAMES = [np.zeros((28, 42, 3), np.uint8)] * 2


def some(seed: int = 0, coefficients: int = 4) -> Gaussians:
    random = np.random.default_rng(seed)
    parts = [
        random.uniform(0.1, 0.9, (COUNT, *shape)).astype(np.float32)
        for shape in ((3,), (4,), (3,), (), (coefficients, 3))
    ]
    return Gaussians(parts[0], parts[1], parts[2], parts[3], parts[4], np.array([0, 0, 1, 1, 1]))


def written(file: Path, gaussians: Gaussians | None, **more: Any) -> Path:
    parts = {} if gaussians is None else {k: v for k, v in vars(gaussians).items() if v is not None}
    np.savez(
        file,
        extrinsics=np.tile(np.eye(4)[:3], (2, 1, 1)),
        intrinsics=CAMERAS.intrinsics,
        size=[20, 20],
        **{**parts, **more},
    )
    return file


def ply(file: Path, gaussians: Gaussians) -> Path:
    """As 3D Gaussian splatting is usually written: all first coefficients, then the rest channel by channel."""
    rest = gaussians.harmonics.shape[1] - 1
    names = ["x", "y", "z", "nx", "ny", "nz", "f_dc_0", "f_dc_1", "f_dc_2", *(f"f_rest_{k}" for k in range(3 * rest))]
    names += ["opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"]
    columns = [gaussians.means, np.zeros((COUNT, 3)), gaussians.harmonics[:, 0]]
    columns += [gaussians.harmonics[:, 1:].transpose(0, 2, 1).reshape(COUNT, -1)]
    columns += [
        np.log(gaussians.opacities / (1 - gaussians.opacities))[:, None],
        np.log(gaussians.scales),
        gaussians.quaternions,
    ]
    head = "\n".join(
        ["ply", "format binary_little_endian 1.0", f"element vertex {COUNT}", *(f"property float {n}" for n in names)]
    )
    file.write_bytes(head.encode() + b"\nend_header\n" + np.hstack(columns).astype("<f4").tobytes())
    return file


def test_gaussians_in_one_file_and_in_the_usual_form(tmp_path: Path) -> None:
    given = some()
    cameras, found = read_scene(written(tmp_path / "a.npz", given, is_metric=1, scale_factor=2.0))
    assert (cameras.is_metric, cameras.factor, cameras.size) == (True, 2.0, (20, 20))
    assert cameras.world_to_camera.shape == (2, 4, 4)
    assert np.array_equal(found.harmonics, given.harmonics) and found.frame is not None
    ply(tmp_path / "b.ply", given)
    _, found = read_scene(written(tmp_path / "b.npz", None))
    for name in ("means", "quaternions", "scales", "opacities", "harmonics"):
        assert getattr(found, name) == pytest.approx(getattr(given, name), abs=1e-5), name


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"means": np.zeros((4, 3))}, "quaternions must be"),
        ({"harmonics": np.zeros((COUNT, 5, 3))}, "harmonics must be"),
        ({"opacities": np.full(COUNT, np.nan)}, "not all numbers are finite"),
        ({"extrinsics": np.full((2, 4, 4), np.inf)}, "cameras are not finite"),
        ({"intrinsics": np.eye(3)}, "intrinsics (N, 3, 3)"),
    ],
)
def test_one_line_for_what_is_wrong(tmp_path: Path, more: dict[str, Any], says: str) -> None:
    parts = {k: v for k, v in vars(some()).items() if v is not None}
    known = {"extrinsics": CAMERAS.world_to_camera, "intrinsics": CAMERAS.intrinsics, "size": [20, 20], **parts}
    np.savez(tmp_path / "a.npz", **{**known, **more})
    with pytest.raises(WorldGaugeError, match=says.replace("(", r"\(").replace(")", r"\)")):
        read_scene(tmp_path / "a.npz")


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(b"no archive")
    with pytest.raises(WorldGaugeError, match="cannot be read"):
        read_scene(tmp_path / "a.npz")
    with pytest.raises(WorldGaugeError, match="no Gaussians"):
        read_scene(written(tmp_path / "b.npz", None))
    short = ply(tmp_path / "c.ply", some()).read_bytes()[:-4]
    (tmp_path / "c.ply").write_bytes(short)
    with pytest.raises(WorldGaugeError, match="is cut off"):
        read_ply(tmp_path / "c.ply")
    (tmp_path / "d.ply").write_bytes(b"ply\nformat ascii 1.0\nend_header\n")
    with pytest.raises(WorldGaugeError, match="no PLY file"):
        read_ply(tmp_path / "d.ply")


def test_a_stored_scene_is_found_by_the_clips_name_and_counts_by_its_content(tmp_path: Path) -> None:
    instrument = StoredScenes(folder=str(tmp_path))
    before = instrument.identity()
    written(tmp_path / "clip.npz", some())
    assert instrument.identity() != before and str(tmp_path) not in str(instrument.identity())
    scene = instrument.reconstruct(FRAMES, CAMERAS, sources=[1], name="clip")
    assert len(scene.gaussians) == 3
    with pytest.raises(Unscored, match="has no other"):
        instrument.reconstruct(FRAMES, CAMERAS, name="other")
    with pytest.raises(WorldGaugeError, match="2 cameras, 1 frames"):
        instrument.reconstruct(FRAMES[:1], CAMERAS, name="clip")
    assert "folder" in (StoredScenes().unavailable() or "")


def test_what_is_masked_in_its_frame_is_left_out() -> None:
    means = np.array([[-0.5, 0, 1], [0.5, 0, 1], [-0.5, 0, 1]], np.float32)
    three = Gaussians(
        means,
        *(getattr(some(), n)[:3] for n in ("quaternions", "scales", "opacities", "harmonics")),
        np.array([0, 0, 1]),
    )
    lens = np.array([[10.0, 0, 10], [0, 10.0, 10], [0, 0, 1]])
    cameras = SceneCameras(np.tile(np.eye(4), (2, 1, 1)), np.tile(lens, (2, 1, 1)), (20, 20))
    left = np.zeros((2, 40, 40), bool)
    left[0, :, :20] = True
    assert chosen(three, cameras, left, None).means[:, 0].tolist() == [0.5, -0.5]
    assert chosen(three, cameras, None, [1]).means[:, 0].tolist() == [-0.5]
    with pytest.raises(Unscored, match="which frame"):
        chosen(
            Gaussians(*(getattr(three, n) for n in ("means", "quaternions", "scales", "opacities", "harmonics"))),
            cameras,
            left,
            None,
        )


def test_the_networks_answer_becomes_a_scene_in_its_own_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cameras in metres, Gaussians not: the factor between them stays with the scene."""
    instrument = DepthAnything3Scene(longest=42)

    class Answers:
        def answer(self, arrays: Any, options: Any, expected: Any) -> dict[str, Any]:
            assert arrays["frames"].shape == (2, 28, 42, 3)
            found = {name: np.full(shape, 0.5, kind) for name, (kind, shape) in expected.items()}
            poses = np.tile(np.eye(4), (2, 1, 1))
            poses[1, 0, 3] = 5.0
            return found | {"poses": poses, "factor": np.array(2.5)}

    monkeypatch.setitem(instrument.__dict__, "_answers", Answers())
    scene = instrument.reconstruct(FRAMES, CAMERAS, sources=[0])
    assert isinstance(scene, GaussianScene) and len(scene.gaussians) == 28 * 42 and scene.cameras.size == (42, 28)
    assert scene.cameras.world_to_camera[1, 0, 3] == -5 and scene.cameras.in_scene(1)[0, 3] == -2
    assert "gsplat" in (DepthAnything3Scene(rasteriser="gsplat").unavailable() or "")
