"""Parts that call authors' packages, on stub networks: world-to-camera turned round, and nothing drawn at random."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from worldgauge.core.errors import WorldGaugeError
from worldgauge.instruments.authors.home import PARTS
from worldgauge.instruments.isolated import child

torch = pytest.importorskip("torch")

SETTINGS = {"dtype": "float32", "reference_view": "saddle_balanced"}
HEIGHT, WIDTH = 14, 28


def part(name: str) -> Any:
    return child.read_part(str(PARTS / f"{name}.py"))


def known_poses(count: int) -> np.ndarray:
    """Camera-to-world: a turn about an axis that is none of the three, by 20 degrees a frame, and a step."""
    axis = np.array([1.0, 2.0, -0.5]) / np.linalg.norm([1.0, 2.0, -0.5])
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    poses = np.tile(np.eye(4), (count, 1, 1))
    for k in range(count):
        angle = np.radians(20 * k)
        poses[k, :3, :3] += np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
        poses[k, :3, 3] = (0.1 * k, -0.2 * k, 0.5 * k)
    return poses


def world_to_camera(poses: np.ndarray) -> Any:
    return torch.tensor(np.linalg.inv(poses)[None, :, :3])


def frames(count: int) -> dict[str, np.ndarray]:
    return {"frames": np.random.default_rng(0).integers(0, 256, (count, HEIGHT, WIDTH, 3), np.uint8)}


def seen_by_stub(poses: np.ndarray, seed: int = 0) -> Any:
    count = len(poses)
    noise = torch.rand((1, count, HEIGHT, WIDTH), generator=torch.Generator().manual_seed(seed))
    intrinsics = torch.eye(3).repeat(1, count, 1, 1) * 300
    extrinsics = world_to_camera(poses).float()
    return SimpleNamespace(depth=1 + noise, depth_conf=2 + noise, extrinsics=extrinsics, intrinsics=intrinsics)


def test_depth_anything_3_gives_world_to_camera_and_we_do_not() -> None:
    poses, given = known_poses(4), []

    def stub(images: Any, **settings: Any) -> Any:
        given.append((images, settings))
        return seen_by_stub(poses)

    found = part("depth_anything_3").Network(stub, SETTINGS, "cpu").answer(frames(4), {})
    assert found["poses"] == pytest.approx(poses, abs=1e-6)
    images, settings = given[0]
    assert images.shape == (1, 4, 3, HEIGHT, WIDTH) and settings == {"ref_view_strategy": "saddle_balanced"}
    expected = (frames(4)["frames"][2, 3, 5] / 255 - (0.485, 0.456, 0.406)) / np.array((0.229, 0.224, 0.225))
    assert images[0, 2, :, 3, 5].numpy() == pytest.approx(expected, abs=1e-6)
    assert found["confidence"].shape == (4,) and ((found["confidence"] > 0.5) & (found["confidence"] < 0.67)).all()
    with_maps = part("depth_anything_3").Network(stub, SETTINGS, "cpu").answer(frames(4), {"maps": [3, 1]})
    assert with_maps.keys() - found.keys() == {"maps"}
    assert np.array_equal(with_maps["maps"], seen_by_stub(poses).depth[0, [3, 1]].numpy())
    assert with_maps["maps"].dtype == np.float32


def test_depth_anything_3_nested_takes_the_median_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """More values than the authors' code looks at: twice the same bytes, whatever the random state is."""
    poses = known_poses(300)
    anyview = seen_by_stub(poses)
    sky = torch.zeros_like(anyview.depth)
    sky[..., :3, :] = 1.0
    module = ModuleType("depth_anything_3.utils.alignment")
    asked: list[Any] = []

    def alignment_mask(conf: Any, ground: Any, depth: Any, metres: Any, median: Any) -> Any:
        asked.append(median)
        return (conf >= median) & ground

    module.apply_metric_scaling = lambda depth, intrinsics: depth * intrinsics[:, :, :1, :1] / 300  # type: ignore[attr-defined]
    module.compute_sky_mask = lambda sky, threshold: sky < threshold  # type: ignore[attr-defined]
    module.compute_alignment_mask = alignment_mask  # type: ignore[attr-defined]
    module.least_squares_scale_scalar = lambda a, b: (a * b).sum() / (b * b).sum()  # type: ignore[attr-defined]
    for name in ("depth_anything_3", "depth_anything_3.utils"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    metric = SimpleNamespace(depth=2.5 * anyview.depth, sky=sky)
    network = SimpleNamespace(da3=lambda images, **settings: seen_by_stub(poses), da3_metric=lambda images: metric)
    answers = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        answers.append(part("depth_anything_3").Network(network, SETTINGS, "cpu").answer(frames(300), {}))
    for name in answers[0]:
        assert answers[0][name].tobytes() == answers[1][name].tobytes()
    ground = anyview.depth_conf[sky < 0.3].numpy()
    assert ground.size == 300 * 11 * WIDTH < torch.numel(sky)
    assert float(asked[0]) == pytest.approx(float(np.median(ground)), abs=1e-6)
    # The second network sees everything two and a half times as far away.
    assert answers[0]["poses"][:, :3, 3] == pytest.approx(2.5 * poses[:, :3, 3], rel=1e-4, abs=1e-4)
    # Sky is as far as all but a hundredth of the ground, 200 m at most, and nothing is sure of it.
    depth, certain = 2.5 * anyview.depth[0].double().numpy(), anyview.depth_conf[0].double().numpy()
    above = (sky[0] >= 0.3).numpy()
    depth[above] = np.quantile(depth[~above], 0.99)
    certain[above] = 1.0
    assert answers[0]["depth"] == pytest.approx(np.sort(depth.reshape(300, -1))[:, (14 * WIDTH - 1) // 2], rel=1e-5)
    assert answers[0]["confidence"] == pytest.approx((1 - 1 / certain).mean((1, 2)), rel=1e-5)
    maps = part("depth_anything_3").Network(network, SETTINGS, "cpu").answer(frames(300), {"maps": [7]})["maps"]
    assert maps[0] == pytest.approx(depth[7], rel=1e-5)
    metric.depth = 2500.0 * anyview.depth
    maps = part("depth_anything_3").Network(network, SETTINGS, "cpu").answer(frames(300), {"maps": [7]})["maps"]
    assert (maps[0][above[7]] == 200.0).all() and (maps[0][~above[7]] > 2000).all()
    metric.sky = torch.ones_like(sky)
    told = part("depth_anything_3").Network(network, SETTINGS, "cpu").answer(frames(300), {})
    assert told == "all is sky but a few pixels, so that there is no scale"


def test_depth_anything_3_gives_a_gaussian_for_every_pixel_where_they_are_asked_for() -> None:
    poses, count = known_poses(2), 2 * HEIGHT * WIDTH
    random, given = torch.Generator().manual_seed(0), []

    def stub(images: Any, **settings: Any) -> Any:
        given.append(settings)
        shapes = {"means": (3,), "scales": (3,), "rotations": (4,), "harmonics": (3, 9), "opacities": ()}
        made = {name: torch.rand((1, count, *shape), generator=random) for name, shape in shapes.items()}
        return SimpleNamespace(**vars(seen_by_stub(poses)), gaussians=SimpleNamespace(**made), scale_factor=2.5)

    network = part("depth_anything_3").Network(stub, {**SETTINGS, "gaussians": True}, "cpu")
    found = network.answer(frames(2), {})
    assert given == [{"ref_view_strategy": "saddle_balanced", "infer_gs": True}]
    assert found["means"].shape == (count, 3) and found["quaternions"].shape == (count, 4)
    assert found["harmonics"].shape == (count, 9, 3) and float(found["factor"]) == 2.5


DEPTH_ANYTHING = {
    "__init__.py": "",
    "cfg.py": """
import torch

def load_config(name):
    return {"gs_head": 1, "gs_adapter": 1, "name": name}

def create_object(config):
    if "gs_adapter" in config:
        from evo.core.trajectory import PosePath3D
        import e3nn
    network = torch.nn.Module()
    network.turn = torch.nn.Parameter(torch.zeros(()))
    norm = torch.nn.LayerNorm(2)
    network.head = torch.nn.ModuleList(torch.nn.Sequential(torch.nn.Linear(2, 2), norm) for _ in range(4))
    if "gs_head" in config:
        network.gs_head = torch.nn.Linear(2, 2)
    return network
""",
    "registry.py": "MODEL_REGISTRY = {'da3-small': 'da3-small', 'da3nested-giant-large': 'da3nested-giant-large'}",
}
"""What of the authors' package is called, with a head that shares one normalisation four times, as theirs does."""


@pytest.fixture
def depth_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The package as a stub that can be imported here, and a folder for weights."""
    from worldgauge.instruments.authors import home

    for name, code in DEPTH_ANYTHING.items():
        file = tmp_path / "site" / "depth_anything_3" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setenv("WORLDGAUGE_ENVIRONMENTS_FOLDER", str(tmp_path / "environments"))
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "config.json").write_text('{"model_name": "da3-small"}')
    ids = ("depth_anything_3_small", "depth_anything_3_nested")
    places = " ".join(f"{name}={tmp_path / 'weights' / 'net'}" for name in ids)
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", places)
    home._here.cache_clear()
    yield tmp_path / "weights"
    for name in [name for name in sys.modules if name.partition(".")[0] in ("depth_anything_3", "evo")]:
        del sys.modules[name]
    home._here.cache_clear()


def published(folder: Path, gaussians: bool = False) -> dict[str, Any]:
    """The stub's network in a file as the hub's mixin writes it: the authors' module is the attribute `model`."""
    from safetensors.torch import load_file, save_model

    sys.modules.setdefault("evo", ModuleType("evo"))
    from depth_anything_3.cfg import create_object  # type: ignore[import-not-found]

    holder = torch.nn.Module()
    holder.model = create_object({"gs_head": 1} if gaussians else {})
    holder.model.head[0][1].weight.data.fill_(3.0)
    save_model(holder, str(folder / "net"))
    del sys.modules["evo"]
    assert len(load_file(folder / "net")) == len(holder.state_dict()) - 6
    return dict(holder.state_dict())


def loaded(name: str) -> Any:
    """The authors' module as an instrument loads it in this process."""
    from worldgauge.core.instrument import INSTRUMENTS

    instrument = INSTRUMENTS.get(name)()
    instrument.load("cpu")
    return instrument._network()._asked.network


def test_a_file_that_names_a_shared_tensor_once_is_complete(
    depth_anything: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The hub's own writer does so. A file with all names is taken too, where the shared ones have one value."""
    state = published(depth_anything)
    wanted = {name.removeprefix("model."): value for name, value in state.items()}
    for content in (None, state, {"state_dict": state, "epoch": 1}):
        if content is not None:
            torch.save(content, depth_anything / "net")
        found = loaded("depth_anything_3_small").state_dict()
        assert all(torch.equal(found[name], value) for name, value in wanted.items()) and len(found) == len(wanted)
    assert not caplog.messages
    (depth_anything / "config.json").write_text('{"model_name": "da3-large"}')
    loaded("depth_anything_3_small")
    told = f"{depth_anything / 'net'} fits da3-small, though the config.json next to it names da3-large"
    assert caplog.messages == [f"depth_anything_3_small: {told}"]
    torch.save(state | {"model.head.3.1.weight": torch.ones(2)}, depth_anything / "net")
    with pytest.raises(WorldGaugeError, match="da3-small do not fit: two different values for what the network shares"):
        loaded("depth_anything_3_small")
    (depth_anything / "config.json").unlink()
    with pytest.raises(WorldGaugeError, match=r"config\.json is missing next to .*; copy it there from hub repository"):
        loaded("depth_anything_3_small")


def test_gaussians_say_what_they_need_and_need_no_evo(depth_anything: Path, tmp_path: Path) -> None:
    """e3nn is asked for before anything is loaded, and by nothing that makes no Gaussians; evo is stood in for."""
    from worldgauge.instruments.authors import home
    from worldgauge.instruments.authors.depth_anything_3 import DepthAnything3Small
    from worldgauge.instruments.authors.depth_anything_3_scene import DepthAnything3Scene

    published(depth_anything, gaussians=True)
    if importlib.util.find_spec("e3nn") is None:
        assert DepthAnything3Scene().unavailable() == "e3nn is not installed; worldgauge env make depth-anything-3"
    assert DepthAnything3Small().unavailable() is None
    (tmp_path / "site" / "e3nn.py").write_text("__version__ = '0'")
    importlib.invalidate_caches()
    home._here.cache_clear()
    assert DepthAnything3Scene().unavailable() is None
    assert set(DepthAnything3Scene().identity()["packages"]) == {"depth-anything-3", "torch", "e3nn"}
    assert set(DepthAnything3Small().identity()["packages"]) == {"depth-anything-3", "torch"}
    assert "gs_head.weight" in loaded("depth_anything_3_scene").state_dict()
    from evo.core.trajectory import PosePath3D  # type: ignore[import-not-found]

    with pytest.raises(NotImplementedError, match="cameras are never given to this network"):
        PosePath3D()
    assert "gs_head.weight" not in loaded("depth_anything_3_small").state_dict()


@pytest.mark.parametrize("count", [1, 2, 7, 100])
def test_the_median_of_all(count: int) -> None:
    values = torch.rand(count, generator=torch.Generator().manual_seed(count))
    assert float(part("depth_anything_3").median_of_all(values)) == pytest.approx(float(np.median(values.numpy())))


def test_vggt_gives_world_to_camera_and_we_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    poses = known_poses(3)
    module = ModuleType("vggt.utils.pose_enc")
    intrinsics = torch.eye(3).repeat(1, 3, 1, 1)
    module.pose_encoding_to_extri_intri = lambda code, size: (code, intrinsics)  # type: ignore[attr-defined]
    for name in ("vggt", "vggt.utils"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, module.__name__, module)

    def stub(images: Any) -> Any:
        assert images.shape == (3, 3, HEIGHT, WIDTH) and 0 <= float(images.min()) <= float(images.max()) <= 1
        ones = torch.ones((1, 3, HEIGHT, WIDTH))
        return {"pose_enc": world_to_camera(poses), "depth": ones[..., None], "depth_conf": 4 * ones}

    found = part("vggt").Network(stub, SETTINGS, "cpu").answer(frames(3), {})
    assert found["poses"] == pytest.approx(poses, abs=1e-6)
    assert found["depth"].tolist() == [1, 1, 1] and found["confidence"] == pytest.approx(0.75)


def test_map_anything_gives_camera_to_world() -> None:
    poses = known_poses(3)

    def infer(views: list[dict[str, Any]], **settings: Any) -> list[dict[str, Any]]:
        assert [view["img"].shape for view in views] == [(1, 3, HEIGHT, WIDTH)] * 3
        assert settings["memory_efficient_inference"] and settings["minibatch_size"] == 1
        assert not settings["use_amp"]
        plane = torch.full((1, HEIGHT, WIDTH), 2.0)
        lens = torch.eye(3)[None]
        return [
            {"camera_poses": torch.tensor(pose[None]), "intrinsics": lens, "depth_z": plane[..., None], "conf": plane}
            for pose in poses
        ]

    network = SimpleNamespace(infer=infer)
    found = part("map_anything").Network(network, SETTINGS, "cpu").answer(frames(3), {})
    assert (found["poses"] == poses).all()
    assert found["depth"].tolist() == [2, 2, 2] and found["confidence"].tolist() == [0.5] * 3


PACKAGE = {
    "__init__.py": "",
    "models/__init__.py": "",
    "models/vggt.py": """
import torch

class VGGT(torch.nn.Module):
    def __init__(self, enable_point, enable_track):
        super().__init__()
        assert not enable_point and not enable_track
        self.turn = torch.nn.Parameter(torch.zeros(()))

    def forward(self, images):
        count, _, height, width = images.shape
        ones = torch.ones((1, count, height, width))
        code = self.turn * torch.arange(count)[None, :, None]
        return {"pose_enc": code, "depth": ones[..., None], "depth_conf": ones}
""",
    "utils/__init__.py": "",
    "utils/pose_enc.py": """
import torch

def pose_encoding_to_extri_intri(code, size):
    cameras = torch.eye(4)[:3].repeat(1, code.shape[1], 1, 1)
    angle = code[..., 0]
    cameras[..., 0, 0] = cameras[..., 2, 2] = angle.cos()
    cameras[..., 0, 2], cameras[..., 2, 0] = -angle.sin(), angle.sin()
    return cameras, torch.eye(3).repeat(1, code.shape[1], 1, 1)
""",
}
"""What of the authors' package is called; its camera turns right by as many radians a frame as its weight says."""


def test_a_package_that_is_installed_answers_in_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from worldgauge.instruments.authors import home
    from worldgauge.instruments.authors.vggt import Vggt

    for name, code in PACKAGE.items():
        file = tmp_path / "site" / "vggt" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setenv("WORLDGAUGE_ENVIRONMENTS_FOLDER", str(tmp_path / "environments"))
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", f"vggt={tmp_path / 'model.pt'}")
    home._here.cache_clear()
    torch.save({"turn": torch.tensor(0.1), "point_head.x": torch.zeros(1)}, tmp_path / "model.pt")
    instrument = Vggt()
    assert instrument.unavailable() is None
    # It came from no release, so its sources are its version.
    assert re.fullmatch(r"unknown\+source\.[0-9a-f]{12}", instrument.identity()["packages"]["vggt"])
    found = instrument.trajectory(list(frames(3)["frames"]))
    turned = np.arctan2(found.poses[:, 0, 2], found.poses[:, 0, 0])
    assert turned == pytest.approx([0.0, 0.1, 0.2], abs=1e-6)
    torch.save({"turn": torch.tensor(0.1), "surplus": torch.zeros(1)}, tmp_path / "model.pt")
    with pytest.raises(WorldGaugeError, match="VGGT do not fit: entries the network does not have: surplus;"):
        Vggt().trajectory(list(frames(3)["frames"]))
    for name in [name for name in sys.modules if name.partition(".")[0] == "vggt"]:
        del sys.modules[name]
    home._here.cache_clear()
